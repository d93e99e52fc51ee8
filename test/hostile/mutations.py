"""Corrupts bytes at random, as cuts, bit errors and attackers do."""

import re

import numpy as np

# Parts of headers: counts and lengths, little and big endian.
_LENGTHS = [0, 1, 2**7, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 10**12, 2**63 - 1, 2**64 - 1]
_WORDS = [b"-1", b"0", b"nan", b"inf", b"1e308", b"1e999", b"1000000000000", b"9" * 40, b"", b"x"]
_WORDS += [b"\xff", b"../../../etc/passwd", b"null", b"[]", b"{}", b"[[[[[[[[", b"\0", b"&a; "]


def mutated(content: bytes, rng: np.random.Generator) -> bytes:
    """One to four mutations of `content`, each at a random place."""
    for _ in range(int(rng.integers(1, 5))):
        content = _MUTATIONS[int(rng.integers(len(_MUTATIONS)))](content, rng)
    return content


def _place(content, rng):
    # Headers and ends determine most, so half of the mutations are there.
    edge = min(len(content), 256)
    near = int(rng.integers(edge + 1))
    choice = int(rng.integers(4))
    return (near, len(content) - near, *[int(rng.integers(len(content) + 1))] * 2)[choice]


def _flip(content, rng):
    if not content:
        return content
    corrupted = bytearray(content)
    corrupted[min(_place(content, rng), len(content) - 1)] ^= 1 << int(rng.integers(8))
    return bytes(corrupted)


def _cut(content, rng):
    return content[: _place(content, rng)]


def _drop(content, rng):
    start = _place(content, rng)
    return content[:start] + content[start + int(rng.integers(1, 64)) :]


def _double(content, rng):
    start = _place(content, rng)
    end = start + int(rng.integers(1, 256))
    return content[:end] + content[start:]


def _insert(content, rng):
    start = _place(content, rng)
    return content[:start] + rng.bytes(int(rng.integers(1, 32))) + content[start:]


def _length(content, rng):
    start, size = _place(content, rng), int(rng.choice([1, 2, 4, 8]))
    value = _LENGTHS[int(rng.integers(len(_LENGTHS)))] % 2 ** (8 * size)
    order = "little" if rng.integers(4) else "big"
    return content[:start] + value.to_bytes(size, order) + content[start + size :]


def _word(content, rng):
    found = list(re.finditer(rb"[-+\w.]+", content[:200_000]))
    if not found:
        return content
    word = found[int(rng.integers(len(found)))]
    other = _WORDS[int(rng.integers(len(_WORDS)))]
    return content[: word.start()] + other + content[word.end() :]


_MUTATIONS = (_flip, _cut, _drop, _double, _insert, _length, _word, _word)
