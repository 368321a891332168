"""What changed between two states of a page or a site. Pure: bytes and texts in, findings out."""
