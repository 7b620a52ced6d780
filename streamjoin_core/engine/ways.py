"""How a tuple left, or did not enter."""

# LEAVES is the policy's own time-to-live or join-to-live inside the window. SHED was not wanted by
# the strategy that spares the processor; UNPAID was beyond what the processor may do.
CACHED, DROPPED, EVICTED, EXPIRED, LEAVES, SHED, UNPAID = range(7)
NUMBER_OF_WAYS = 7
