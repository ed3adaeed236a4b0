"""How good estimators are where the truth is known: made data, every part of them graded."""
