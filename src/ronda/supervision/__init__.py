"""Processes: `ronda up` keeps its children alive, one leader per database does what must be done once."""
