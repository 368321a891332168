"""Template tags of the grid room."""
