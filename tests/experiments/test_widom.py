"""The experiments of Srivastava and Widom 2004 at a small size: who is ahead of whom."""

import pytest

import streamjoin_core as sj


def findings(name, **setup):
    return sj.run_experiment(name, **setup).findings


def held(found, start):
    return next(claim for claim in found.claims if claim.text.startswith(start)).holds


def test_age_curves():
    found = findings("sw-fig7", runs=1, steps=3000)
    assert [panel.title for panel in found.panels] == ["INC", "DEC", "BELL"]
    assert held(found, "INC: AGE significantly outperforms RECENT")
    assert held(found, "DEC: AGE reduces to RECENT")
    for panel in found.panels:
        assert panel.curve("age").mean(100) == pytest.approx(1, abs=0.02)


def test_wide_area_network():
    found = findings("sw-fig6", runs=1, steps=200_000)
    assert held(found, "RECENT produces no join tuples")
    assert held(found, "most results come at an age of about 63 s")


def test_memory_across_joins():
    found = findings("sw-fig10", runs=1, steps=10_000)
    recall = found.panels[0]
    assert recall.curve("ALLOC").mean(1.5) > 1.2 * recall.curve("PROP").mean(1.5)
    assert held(found, "ALLOC gives the easy join (IC) less")
