"""Shedding under a processing budget."""
