"""What is followed: sources, visits to them, their versions, and when the next visit is due."""
