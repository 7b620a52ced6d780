"""How a tuple left, or did not enter."""

# LEAVES and SATED are the policy's own time-to-live and join-to-live inside the window. SHED was
# not wanted by the strategy that spares the processor; UNPAID was beyond what the processor may do.
CACHED, DROPPED, EVICTED, EXPIRED, LEAVES, SHED, UNPAID, SATED = range(8)
NUMBER_OF_WAYS = 8
