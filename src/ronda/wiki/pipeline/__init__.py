"""MongoDB's aggregation pipelines, translated to SQL for DuckDB. Pure: no Django, no database.

Nothing a user wrote becomes part of the SQL: values are bound, and columns have names of our own (c0, c1 …); the user's
names are put on when rows become documents again (`shaping.py`).
"""

from ronda.wiki.pipeline.translation import Translation, translate

__all__ = ["Translation", "translate"]
