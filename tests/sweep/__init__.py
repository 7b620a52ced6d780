"""Sweeps over policies and memories."""
