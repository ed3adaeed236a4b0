"""Which hypothesis costs what: PRUM's error over a campaign, split by cause."""
