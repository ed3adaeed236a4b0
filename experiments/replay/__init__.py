"""One simulated user, step by step: in sentences, and as a page that draws his way."""
