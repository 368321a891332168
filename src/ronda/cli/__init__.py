"""The command line door: `ronda`."""
