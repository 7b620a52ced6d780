"""The one process whose every value needs the rounded one before it; compiled for that reason."""

from math import floor

from streamjoin_core.engine.compiled import compiled


@compiled
def follow(first, constant, factor, noise, keys):
    """Fill keys with X_t = floor(constant + factor X_{t-1} + noise_t + 1/2), X_0 = first."""
    key = first
    for step in range(len(keys)):
        if step > 0:
            key = floor(constant + factor * key + noise[step] + 0.5)
        keys[step] = key
