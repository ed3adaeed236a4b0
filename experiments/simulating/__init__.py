"""`prum simulate`: users in time, what they did as a log, and what it comes to."""
