"""Pages of questions: asking, sessions, sets, the history of answers."""
