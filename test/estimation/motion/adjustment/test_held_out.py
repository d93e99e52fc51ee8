import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from autourdf_ros.estimation.motion.adjustment.held_out import (
    EVERY,
    LEAST_FRAMES,
    LEAST_SEQUENCE,
    held_out,
)

LENGTHS = st.lists(st.integers(0, 40), min_size=1, max_size=6)


@given(LENGTHS)
def test_one_in_every_few_frames_of_every_sequence_that_can_spare_one(lengths):
    chosen = held_out(lengths, np.ones(sum(lengths), dtype=bool))
    if sum(lengths) < LEAST_FRAMES:
        assert not chosen.any()
        return
    for length, own in zip(lengths, np.split(chosen, np.cumsum(lengths)[:-1]), strict=True):
        assert own.sum() == (max(1, length // EVERY) if length >= LEAST_SEQUENCE else 0)
        # Neither the reference nor what comes just after it, nor two next to each other.
        assert not own[: LEAST_SEQUENCE // 2].any()
        assert (np.diff(np.flatnonzero(own)) > 1).all()


@given(LENGTHS, st.integers(0, 2**32 - 1))
def test_only_inlier_frames_are_held_out_and_fewer_than_are_left(lengths, seed):
    used = np.random.default_rng(seed).random(sum(lengths)) < 0.3
    chosen = held_out(lengths, used)
    assert not (chosen & ~used).any()
    assert not chosen.any() or chosen.sum() < (used & ~chosen).sum()


def test_a_sequence_of_ten_frames_spares_its_seventh():
    assert np.flatnonzero(held_out([10, 10], np.ones(20, dtype=bool))).tolist() == [6, 16]
