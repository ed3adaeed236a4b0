"""Studies over random draws: how far PRUM's approximations can be trusted."""
