"""What was kept: WARC files, and an index of the captures in them."""
