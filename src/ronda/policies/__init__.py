"""Caps, prices and other choices a director makes while Ronda runs, with who changed what and when."""
