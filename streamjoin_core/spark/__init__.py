"""The same jobs over a Spark cluster: every number is the one that local partitions give."""
