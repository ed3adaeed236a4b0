"""How far made collections and logs are from real ones."""
