"""How long tests wait for what should come."""

# Seconds. What has not come by then has failed; a machine busy with other work takes its time.
SOON = 300.0
