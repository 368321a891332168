"""What `ronda` learns about sources from its own looks: rate and bursts, rhythm, related pages, signals."""
