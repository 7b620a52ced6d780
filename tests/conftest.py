"""How tests are shared among processes, and that chance decides none of them."""

import pytest
from hypothesis import settings

# A busy machine, or a first call that compiles, is no failure; the same examples in every run.
settings.register_profile("sjoin", deadline=None, derandomize=True)
settings.load_profile("sjoin")

# What takes longest goes first, so that no process is left alone with it in the end. While one
# compiles all policies, the other mostly waits for clusters; then both find policies compiled.
CLUSTERS = ("tests/spark/test_clusters.py", "tests/spark/test_connect.py")
FIRST = ("tests/test_conformance.py", *CLUSTERS, "tests/spark/")


def pytest_collection_modifyitems(items):
    def turn(item):
        return next((i for i, file in enumerate(FIRST) if item.nodeid.startswith(file)), len(FIRST))

    items.sort(key=turn)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """File by file, so that two processes seldom compile the same policy at the same time.

    All that share a session of Spark go to one process.
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.split("::")[0]
            shares_a_session = file.startswith("tests/spark/") and file not in CLUSTERS
            return "tests/spark/" if shares_a_session else file

    config.option.loadscopereorder = False
    return ByFile(config, log)
