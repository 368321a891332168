"""Template tags that every room's pages use."""
