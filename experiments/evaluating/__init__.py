"""`prum evaluate`: lists scored by many measures, over topics, beside each other."""
