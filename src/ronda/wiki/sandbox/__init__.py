"""Runs people's own questions: pipelines and SQL, in processes that can be killed and reach nothing else."""
