"""How tests are shared among processes."""

import pytest


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """One by one, but those that need Spark all to one process, where they share a session."""
    from xdist.scheduler import LoadScopeScheduling

    class SparkTogether(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            folder = "tests/spark/"
            return folder if nodeid.startswith(folder) else nodeid

    return SparkTogether(config, log)
