"""The lake: tables that only grow, as Parquet files in RONDA_HOME/lake with their catalogue in our PostgreSQL.

Nobody outside this room knows that it is a DuckLake. Rooms declare tables (`tables.py`), read one snapshot
(`reading.py`) and write in transactions (`writing.py`).
"""
