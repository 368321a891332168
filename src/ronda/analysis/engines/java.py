"""Whether there is a Java that Spark can run on, and what to do if not."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from ronda.analysis.errors import EngineMissing

OLDEST = 17
HINT = "Install Java 17 or newer (Debian: apt install openjdk-17-jre-headless), or set JAVA_HOME to one you have."
PYSPARK_HINT = "Install it: pip install 'ronda[spark]'."
_VERSION = re.compile(r'version "(\d+)(?:\.(\d+))?')


def require_java() -> str:
    """The java program; EngineMissing says what to install."""
    home = os.environ.get("JAVA_HOME", "")
    program = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if not program or not Path(program).exists():
        where = f"JAVA_HOME ({home}) has no bin/java" if home else "there is no java on this machine"
        raise EngineMissing(f"Spark needs Java {OLDEST} or newer, and {where}.", hint=HINT)
    version = java_version(program)
    if version < OLDEST:
        raise EngineMissing(f"Spark needs Java {OLDEST} or newer; {program} is Java {version}.", hint=HINT)
    modules = subprocess.run([program, "--list-modules"], capture_output=True, text=True, check=False)
    if "jdk.incubator.vector" not in modules.stdout:
        raise EngineMissing(f"{program} is a stripped Java without jdk.incubator.vector.", hint=HINT)
    return program


def java_version(program: str) -> int:
    said = subprocess.run([program, "-version"], capture_output=True, text=True, check=False)
    found = _VERSION.search(said.stderr + said.stdout)
    if not found:
        return 0
    # Up to 8 it called itself 1.8.
    return int(found[2] or 0) if found[1] == "1" else int(found[1])
