"""The words and drawings of the rounds in templates."""
