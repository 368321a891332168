"""PostgreSQL: embedded in RONDA_HOME or yours; connections, and migrations under a lock."""
