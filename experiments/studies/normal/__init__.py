"""How far the normal law is from the law of the number of ideals seen."""
