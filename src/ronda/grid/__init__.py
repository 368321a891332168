"""Nodes: the machines people lend, and what each is told to do."""
