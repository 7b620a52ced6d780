"""Slow, plain oracles written from the specification, to judge the fast engine by."""
