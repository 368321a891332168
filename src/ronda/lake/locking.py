"""How another process opens the lake to read it and nothing else: for SQL that people write themselves."""

from __future__ import annotations

from ronda.lake.extensions import quoted
from ronda.lake.opening import NAME, attaching, catalogue_params, lake_folder, loading
from ronda.lake.reader_role import reader_conninfo
from ronda.lake.reading import reading


def locked_opening(*, memory_mb: int, threads: int, reader_password: str) -> list[str]:
    """What such a process executes, in this order, on an engine of its own.

    Afterwards it reads files of the lake and no others, writes nothing, spills nothing, loads nothing, and no setting
    can be changed any more. The catalogue's PostgreSQL stays attached, as DuckLake asks it for files and small rows:
    who runs people's SQL there lets no name of it pass (`ronda.wiki.sandbox.vetting`), and it is attached as a role
    that can read the catalogue only (`reader_role.py`).
    """
    with reading():
        pass  # it has to be there before it can be opened for reading only
    folder = quoted(f"{lake_folder()}/")
    return [
        *loading(),
        "SET autoinstall_known_extensions = false",
        "SET autoload_known_extensions = false",
        "SET python_enable_replacements = false",
        f"SET threads = {int(threads)}",
        f"SET memory_limit = '{int(memory_mb)}MB'",
        "SET temp_directory = ''",
        "SET pg_pool_max_connections = 2",
        attaching(is_read_only=True, catalogue=reader_conninfo(catalogue_params(), NAME, reader_password)),
        f"USE {NAME}",
        f"SET allowed_directories = [{folder}]",
        "SET enable_external_access = false",
        "SET lock_configuration = true",
    ]
