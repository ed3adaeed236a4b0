"""Importance sampling: users of whom a quarter are drawn so that what is rare comes often."""
