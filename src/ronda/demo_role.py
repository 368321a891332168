"""The demo role: serves the demo's web and wiki on loopback while `ronda up --demo` runs."""
