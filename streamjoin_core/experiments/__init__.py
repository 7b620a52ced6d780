"""The papers' experiments: one file each, named like the command line names it.

A new experiment is a new file here with a constant EXPERIMENT; nothing else has to know of it.
"""
