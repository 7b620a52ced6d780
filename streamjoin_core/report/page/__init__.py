"""The report as one web page that needs nothing but itself."""

from streamjoin_core.report.page.page import write_page

__all__ = ["write_page"]
