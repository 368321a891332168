"""People: who they are, which roles they hold, how they log in, and the tokens their programs use."""
