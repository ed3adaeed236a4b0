"""Grids of cells, computed on any workers, kept in a store that nothing is lost from."""
