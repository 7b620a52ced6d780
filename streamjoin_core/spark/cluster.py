"""Which cluster is meant, checked before anything is started."""

import os
import re
import socket
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib.util import find_spec

from streamjoin_core.doctor import java_check, spark_checks
from streamjoin_core.errors import InputError

_MASTER = re.compile(
    r"local|local\[(\d+|\*)(,\d+)?\]|local-cluster\[\d+,\d+,\d+\]|yarn|k8s://.+|sc://.+"
    r"|spark://[^:,]+:\d+(,[^:,]+:\d+)*"
)
_PATIENCE = 10.0  # seconds for a master to take a connection


@dataclass(frozen=True)
class Cluster:
    """A Spark master, by default this machine's cores or whatever spark-submit has chosen."""

    master: str | None = None
    conf: dict[str, str] = field(default_factory=dict)

    def __post_init__(self):
        if self.master is not None and not _MASTER.fullmatch(self.master):
            raise InputError(
                f"{self.master!r} is no Spark master: give local[*], spark://HOST:PORT, yarn, "
                "k8s://HOST:PORT or sc://HOST:PORT"
            )

    @property
    def url(self) -> str | None:
        """The master to name; None under spark-submit, which has named one."""
        return self.master or (None if under_spark_submit() else "local[*]")

    @property
    def is_connect(self) -> bool:
        return (self.master or "").startswith("sc://")

    def check(self) -> None:
        """Refuse a cluster that cannot be reached, and a machine that cannot run Spark."""
        needed = [*spark_checks(), *([] if self.is_connect else [java_check()])]
        missing = next((check for check in needed if check.status == "missing"), None)
        if missing:
            raise InputError(f"Spark needs {missing.name} ({missing.found}): {missing.remedy}")
        if self.is_connect and find_spec("grpc") is None:
            raise InputError(
                "Spark Connect needs grpcio and more: pip install 'pyspark[connect]', or name "
                "another --master"
            )
        if re.match("spark://|sc://", self.master or ""):
            self._check_reachable()

    def _check_reachable(self) -> None:
        # Spark itself would try for a minute before it says so.
        addresses = re.findall(r"([^/,:;]+):(\d+)", self.master.partition("//")[2])
        addresses = addresses or [(re.split("[/;]", self.master[5:])[0], "15002")]
        reasons = [_why_unreachable(host, int(port)) for host, port in addresses]
        if all(reasons):
            raise InputError(
                f"there is no Spark master at {self.master} ({reasons[0]}): start one, or correct "
                "--master"
            )


def parse_conf(given: Iterable[str]) -> dict[str, str]:
    """Settings of Spark from texts.

    >>> parse_conf(["spark.executor.memory=4g"])
    {'spark.executor.memory': '4g'}
    """
    settings = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name.strip().startswith("spark."):
            raise InputError(
                f"{text!r} is no setting of Spark: write one such as spark.executor.memory=4g"
            )
        settings[name.strip()] = value.strip()
    return settings


def under_spark_submit() -> bool:
    return "PYSPARK_GATEWAY_PORT" in os.environ


def _why_unreachable(host: str, port: int) -> str | None:
    try:
        with socket.create_connection((host, port), timeout=_PATIENCE):
            return None
    except OSError as error:
        return error.strerror or str(error)
    except OverflowError:
        return f"{port} is no port"
