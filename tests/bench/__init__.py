"""Benchmarks: `make bench` runs `rows()` of every module here.

A row is a dict: name, ours, peer (None where there is none), unit, and either ratio and target
(ratio at least target) or goal (ours at least, or for seconds and MB at most, goal).
"""
