"""Long work: a job has an owner, a state, progress, a cancel button, and outlives the worker that runs it."""
