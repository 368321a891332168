"""Pages of what is followed."""
