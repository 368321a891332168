"""Template tags of the jobs room."""
