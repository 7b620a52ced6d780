"""What sjoin needs from the machine it runs on, what is there, and how to mend the rest."""

import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

_OLDEST_JAVA = 17
_LITTLE_MEMORY = 2**30


@dataclass(frozen=True)
class Check:
    """One thing looked at; whatever is not ok says what to do."""

    name: str
    status: str  # "ok", "warn" (works, or may work) or "missing" (too old counts as missing)
    found: str
    needed_for: str  # "replay", or the extra of the installation that needs it
    remedy: str | None = None


def examine() -> list[Check]:
    """Look at everything; slow packages are not imported just to know their versions."""
    return [
        *installation_checks(),
        java_check(),
        cache_check(),
        cores_check(),
        memory_check(),
    ]


def ready(checks: Iterable[Check]) -> bool:
    """Whether all that a replay needs is there."""
    return not any(check.status == "missing" and check.needed_for == "replay" for check in checks)


def installation_checks() -> Iterator[Check]:
    """Python and the packages, against the bounds that sjoin was installed with."""
    try:
        about = metadata.metadata("sjoin")
    except metadata.PackageNotFoundError:
        yield python_check("")
        found = "not installed, so version bounds are unknown"
        yield Check("sjoin", "warn", found, "replay", _pip("--editable", "."))
        return
    yield python_check(about["Requires-Python"])
    yield from package_checks(about.get_all("Requires-Dist", []))


def spark_checks() -> list[Check]:
    """The packages that only Spark needs."""
    try:
        requirements = metadata.requires("sjoin") or []
    except metadata.PackageNotFoundError:
        requirements = []
    return [check for check in package_checks(requirements) if check.needed_for == "spark"]


def python_check(bounds: str) -> Check:
    version = platform.python_version()
    found = f"{version}, {sys.executable}"
    if SpecifierSet(bounds).contains(version, prereleases=True):
        return Check("Python", "ok", found, "replay")
    return Check("Python", "missing", found, "replay", f"install a Python {bounds}")


def package_checks(requirements: Iterable[str]) -> Iterator[Check]:
    """Packages that replays and users' extras need; developers' tools are left to `make`."""
    for text in requirements:
        requirement = Requirement(text)
        for extra in ("", "spark", "check"):
            marker = requirement.marker
            if marker is None or marker.evaluate({"extra": extra}):
                # Pandas has its bounds for PySpark's sake: alone it is nobody's business.
                if requirement.name != "pandas" or _version("pyspark"):
                    yield _package_check(requirement, extra or "replay")
                break


def _package_check(requirement: Requirement, needed_for: str) -> Check:
    name, bounds = requirement.name, requirement.specifier
    remedy = _pip(f"{name}{bounds}")
    version = _version(name)
    if version is None:
        return Check(name, "missing", "not installed", needed_for, remedy)
    if bounds.contains(version, prereleases=True):
        return Check(name, "ok", version, needed_for)
    oldest = SpecifierSet(",".join(str(bound) for bound in bounds if bound.operator == ">="))
    if oldest.contains(version, prereleases=True):
        return Check(name, "warn", f"{version}, untested: {bounds}", needed_for, remedy)
    return Check(name, "missing", f"{version}, too old: {bounds}", needed_for, remedy)


def java_check() -> Check:
    """The Java that Spark would start: the one in JAVA_HOME, else the first on the path."""
    home = os.environ.get("JAVA_HOME")
    remedy = _install_java()
    if home:
        remedy += f"; then unset JAVA_HOME, which is {home}, or let it name the new one"
    java = shutil.which("java", path=str(Path(home, "bin"))) if home else shutil.which("java")
    if java is None:
        found = f"no bin/java in JAVA_HOME, {home}" if home else "not found"
        return Check("Java", "missing", found, "spark", remedy)
    version = _java_version(java)
    if version is None:
        return Check("Java", "missing", f"{java} does not tell its version", "spark", remedy)
    where = f"JAVA_HOME is {home}" if home else f"{Path(java).resolve()}, JAVA_HOME is not set"
    # Up to 8, Java called itself 1.8.
    major = int(version.removeprefix("1.").split(".")[0])
    if major < _OLDEST_JAVA:
        return Check("Java", "missing", f"{version}, too old: {where}", "spark", remedy)
    return Check("Java", "ok", f"{version}, {where}", "spark")


def cache_check() -> Check:
    """Whether compiled code survives the process; loading the engine shows that numba works."""
    name = "compiled-code cache"
    try:
        from streamjoin_core.engine import compiled
    except ImportError as error:
        remedy = _pip("--force-reinstall", "numba")
        return Check(name, "missing", f"numba does not load: {error}", "replay", remedy)
    directory = compiled.cache_directory()
    if directory is None:
        found = "no writable place, so every start compiles anew"
        return Check(name, "warn", found, "replay", compiled.cache_hint())
    size = sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())
    return Check(name, "ok", f"writable, {size / 1e6:.1f} MB in {directory}", "replay")


def cores_check() -> Check:
    # Containers and schedulers give a process fewer cores than the machine has.
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return Check("cores", "ok", str(usable), "replay")


def memory_check(meminfo: Path = Path("/proc/meminfo")) -> Check:
    try:
        sizes = dict(re.findall(r"^(\w+): +(\d+) kB$", meminfo.read_text(), re.MULTILINE))
        total, available = (int(sizes[key]) * 1024 for key in ("MemTotal", "MemAvailable"))
    except (OSError, KeyError):
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        return Check("memory", "ok", f"{total / 2**30:.1f} GiB", "replay")
    found = f"{available / 2**30:.1f} of {total / 2**30:.1f} GiB available"
    if available < _LITTLE_MEMORY:
        remedy = "end other programs: long traces and Spark need more"
        return Check("memory", "warn", found, "replay", remedy)
    return Check("memory", "ok", found, "replay")


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _java_version(java: str) -> str | None:
    try:
        told = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(r'version "([\d.]+)', told.stderr)
    return match and match[1]


def _install_java() -> str:
    if shutil.which("apt-get") is None:
        return f"install a Java runtime, version {_OLDEST_JAVA} or newer"
    return ("" if os.geteuid() == 0 else "sudo ") + "apt-get install default-jre-headless"


def _pip(*arguments: str) -> str:
    python = Path(sys.executable)
    if python.is_relative_to(Path.cwd()):
        python = python.relative_to(Path.cwd())
    return shlex.join([str(python), "-m", "pip", "install", *arguments])
