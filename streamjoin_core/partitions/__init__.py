"""A trace cut by key into partitions that are replayed on their own and whose counts add up."""
