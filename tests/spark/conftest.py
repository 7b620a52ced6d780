"""One Spark session for all tests; executors do not compile, as their traces are tiny."""

import pytest

from streamjoin_core.spark.cluster import Cluster
from streamjoin_core.spark.session import spark_session

CLUSTER = Cluster("local[2]", {"spark.executorEnv.NUMBA_DISABLE_JIT": "1"})


@pytest.fixture(scope="session")
def cluster():
    with spark_session(CLUSTER):
        yield CLUSTER
