"""How firmly the fifteen measures rank systems: fewer topics, shallower pools, other assessors."""
