"""Whether a node's answers are to be believed: probes, second copies, verdicts, and what becomes of a liar."""
