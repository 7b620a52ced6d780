"""Charts in the terminal and in the page."""

from html.parser import HTMLParser
from math import nan

import pytest

import streamjoin_core as sj
from streamjoin_core.dossier import gather
from streamjoin_core.report.chart import Chart, Line, coarse_line
from streamjoin_core.report.chart_text import chart_text
from streamjoin_core.report.page.page import page
from streamjoin_core.report.page.svg import alternative, chart_svg

RISING = Line("rising", (0, 10), (0.0, 1.0))
FALLING = Line("falling", (0, 10), (1.0, 0.0))
VOID = {"meta", "link", "path", "polygon"}


def drawn(*lines: Line, **options) -> list[str]:
    return chart_text(Chart("title", "x", "y", lines, **options)).plain.split("\n")


def test_lines_are_where_they_belong():
    rows = [row.partition("|")[2] for row in drawn(RISING, FALLING) if "|" in row]
    assert (len(rows), {len(row) for row in rows}) == (16, {66})
    assert (rows[0][0], rows[0][-1]) == ("x", "o")
    assert (rows[-1][0], rows[-1][-1]) == ("o", "x")
    assert all(any(row[column] != " " for row in rows) for column in range(66))


def test_it_fits_a_terminal():
    lines = drawn(RISING, FALLING, time_unit="s")
    assert max(map(len, lines)) <= 80
    assert lines[-1].split() == ["o", "rising", "x", "falling"]


def test_undefined_points_are_left_out():
    assert "nothing to draw" in drawn(Line("none", (1, 2), (nan, nan)))[-1]
    rows = [row.partition("|")[2] for row in drawn(Line("dot", (1, 2), (nan, 0.5)))]
    assert sum(row.count("o") for row in rows) == 1
    assert "no values" in chart_svg(Chart("", "x", "y", (Line("none", (), ()),)))


def test_long_lines_become_means():
    import numpy as np

    line = coarse_line("all", np.arange(250), np.arange(250.0))
    assert len(line.x) == 84
    assert line.y[:2] == (1.0, 4.0)


def test_alternative_text_tells_the_values():
    told = alternative(Chart("", "memory", "recall", (RISING,)))
    assert told == "recall over memory: rising from 0 at 0 to 1 at 10"


class Nesting(HTMLParser):
    """Every element is closed in its turn, and what matters is noted."""

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.pictures, self.headings = [], [], [], [], 0

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag not in VOID:
            self.open.append(tag)
        self.ids += [given["id"]] if "id" in given else []
        self.links += [given[name] for name in ("href", "src") if name in given]
        if tag == "svg":
            self.pictures.append(given)
        self.headings += tag == "th"

    def handle_startendtag(self, tag, attributes):
        assert tag in VOID, tag

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def html() -> str:
    trace = sj.generate("tower", steps=300, seed=1)
    dossier = gather(trace, policy="fifo,prob", mem=4, window="10:15", seeds=2, jobs=1)
    return page(dossier, ["sjoin", "report", "<a b>.parquet"])


def test_the_page_is_well_formed(html):
    found = Nesting()
    found.feed(html)
    assert found.open == []
    assert len(found.ids) == len(set(found.ids))
    anchors = {link.removeprefix("#") for link in found.links if link.startswith("#")}
    assert anchors <= set(found.ids)
    assert found.headings > 20


def test_the_page_needs_no_network(html):
    found = Nesting()
    found.feed(html)
    assert {link for link in found.links if not link.startswith("#")} == {"data:,"}
    for word in ("http://", "https://", "@import", "url("):
        assert word not in html


def test_every_picture_has_a_text(html):
    found = Nesting()
    found.feed(html)
    charts = [svg for svg in found.pictures if svg.get("role") == "img"]
    assert len(charts) >= 6
    assert all(len(svg["aria-label"]) > 20 for svg in charts)
    others = [svg for svg in found.pictures if svg.get("role") != "img"]
    assert all(svg["aria-hidden"] == "true" for svg in others)


def test_what_users_name_is_escaped(html):
    assert "&lt;a b&gt;.parquet" in html
    assert "<a b>" not in html


def test_the_page_tells_all(html):
    for heading in (
        *("Summary", "Recall and memory", "Recall over time", "Who has the memory"),
        *("The price of memory", "Keys", "Lifetimes", "Where results were lost"),
        "How this was made",
    ):
        assert f">{heading}</h2>" in html


def test_a_page_of_nothing():
    dossier = gather(sj.trace_from_arrays([], [], []), policy="fifo", mem=1, jobs=1)
    found = Nesting()
    found.feed(page(dossier, ["sjoin"]))
    assert found.open == []
