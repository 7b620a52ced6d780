"""Options that spread a replay over partitions, processes and clusters."""

from dataclasses import dataclass
from typing import Annotated

import typer

from streamjoin_core.errors import InputError

Partitions = Annotated[
    int | None,
    typer.Option(
        "--partitions",
        metavar="P",
        help="Cut the trace by key; each partition has its share of the memory, on its own.",
        show_default="not cut",
    ),
]
Balance = Annotated[
    bool, typer.Option("--balance", help="Place heavy keys so that partitions weigh the same.")
]
Jobs = Annotated[
    int, typer.Option("--jobs", metavar="N", help="Processes that work on partitions.", min=1)
]
Spark = Annotated[bool, typer.Option("--spark", help="Let a Spark cluster do the work.")]
Master = Annotated[
    str | None,
    typer.Option(
        "--master",
        metavar="URL",
        help="Spark's master: local[2], spark://HOST:PORT, yarn, k8s://... or sc://...",
        show_default="all cores of this machine",
    ),
]
SparkConf = Annotated[
    list[str] | None,
    typer.Option("--spark-conf", metavar="KEY=VALUE", help="A setting of Spark's."),
]


@dataclass(frozen=True)
class OnSpark:
    """Whether a cluster works, and which; see `cli.bundles.unpacked`."""

    spark: Spark = False
    master: Master = None
    spark_conf: SparkConf = None

    def cluster(self):
        """The cluster, None for this process alone."""
        if not self.spark:
            if self.master is not None or self.spark_conf:
                raise InputError("--master and --spark-conf are for Spark: give --spark, too")
            return None
        from streamjoin_core.spark.cluster import Cluster, parse_conf

        return Cluster(self.master, parse_conf(self.spark_conf or ()))


@dataclass(frozen=True)
class Spread:
    """How the work is shared; see `cli.bundles.unpacked`."""

    partitions: Partitions = None
    balance: Balance = False
    jobs: Jobs = 1

    def options(self, cluster) -> dict:
        """What the core's functions take under the same names."""
        if cluster is not None and self.jobs > 1:
            raise InputError("--jobs is for this machine alone: leave out either it or --spark")
        return {**vars(self), "spark": cluster}
