"""How tests are shared among processes, and that chance decides none of them."""

import pytest
from hypothesis import settings

# A busy machine, or a first call that compiles, is no failure; the same examples in every run.
settings.register_profile("sjoin", deadline=None, derandomize=True)
settings.load_profile("sjoin")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """File by file, so that two processes seldom compile the same policy at the same time.

    All that need Spark go to one process, where they share a session.
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            folder = "tests/spark/"
            return folder if nodeid.startswith(folder) else nodeid.split("::")[0]

    return ByFile(config, log)
