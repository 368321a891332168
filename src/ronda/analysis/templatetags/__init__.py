"""Template tags of questions and answers."""
