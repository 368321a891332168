"""Ronda makes the rounds of the web: follow, fetch politely, keep every version, answer questions."""

import os

__version__ = "0.1.0"

# Predictors multiply small matrices, many times a second. Threads of the linear algebra library only wait for each
# other there, the longer the busier the machine (five times as long was seen). Read when numpy is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
