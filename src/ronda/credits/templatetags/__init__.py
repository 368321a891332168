"""Template tags of the credits room."""
