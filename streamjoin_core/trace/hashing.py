"""The hash of a key: the same number on every machine, in every version.

The 64 bits that are hashed are, by the kind of the keys,

    integers    the key itself, in two's complement
    doubles     the key as IEEE 754 stores it, with 0.0 for -0.0
    strings     FNV-1a of the key's bytes in UTF-8: starting from 0xcbf29ce484222325, for each byte
                the exclusive or with it, then the product with 0x100000001b3, modulo 2**64

and the hash is MurmurHash3's 64-bit finaliser of these bits, as a number without a sign.

References: G. Fowler, L. C. Noll, K.-P. Vo, FNV hash, 1991; A. Appleby, MurmurHash3, 2011.
"""

import numpy as np
import pyarrow as pa

from streamjoin_core.engine.compiled import compiled
from streamjoin_core.trace.mixing import mix

_FNV_START = np.uint64(0xCBF29CE484222325)
_FNV_FACTOR = np.uint64(0x100000001B3)


def key_hashes(keys: np.ndarray | pa.Array) -> np.ndarray:
    """The hashes, as uint64, of keys as a trace has them: int64, float64, or strings.

    >>> key_hashes(np.array([0, 1, -1])).tolist()
    [0, 12994781566227106604, 7256831767414464289]
    >>> key_hashes(np.array(["", "a"], dtype=object)).tolist()
    [17280346270528514342, 9413272369427828315]
    """
    if isinstance(keys, np.ndarray) and keys.dtype != object:
        # Adding 0 turns -0.0 into 0.0.
        return mix((keys + keys.dtype.type(0)).view(np.uint64))
    texts = column_of_keys(keys).cast(pa.large_string())
    _, offsets, letters = texts.buffers()
    offsets = np.frombuffer(offsets or b"", np.int64)[texts.offset :][: len(texts) + 1]
    words = np.empty(len(texts), np.uint64)
    with np.errstate(over="ignore"):  # products wrap around on purpose
        _hash_texts(offsets, np.frombuffer(letters or b"", np.uint8), words)
    return mix(words)


@compiled
def _hash_texts(offsets, letters, words):
    for index in range(len(words)):
        word = _FNV_START
        for place in range(offsets[index], offsets[index + 1]):
            word = (word ^ np.uint64(letters[place])) * _FNV_FACTOR
        words[index] = word


def column_of_keys(keys: np.ndarray | pa.Array) -> pa.Array:
    """Keys as an Arrow column."""
    if isinstance(keys, pa.Array):
        return keys.dictionary_decode() if pa.types.is_dictionary(keys.type) else keys
    return pa.array(keys, pa.large_string() if keys.dtype == object else None)
