"""What Hypothesis 2.3 costs PRUM under independent browsing."""
