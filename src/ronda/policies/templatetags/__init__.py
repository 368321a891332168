"""Template tags of the policies room."""
