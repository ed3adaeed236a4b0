"""Study: which stopping distribution fits where people click."""
