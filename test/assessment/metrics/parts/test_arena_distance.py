"""Tests of ArticulateArena's distance; without that package only of the message."""

from dataclasses import replace

import numpy as np
import pytest
from box_assembly import box_truth, perfect_trace, with_candidates

from autourdf_ros.assessment.metrics.parts import arena_distance as arena
from autourdf_ros.errors import InputError


def test_without_the_package_its_installation_is_named(monkeypatch):
    monkeypatch.setattr(arena, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="pip install articulatearena"):
        arena.arena_distance(perfect_trace(), box_truth())


def test_the_truth_is_at_no_distance():
    pytest.importorskip("articulatearena")
    assert arena.arena_distance(perfect_trace(), box_truth()) == pytest.approx(0, abs=1e-9)


def test_a_wrong_axis_is_at_a_distance():
    pytest.importorskip("articulatearena")
    trace = perfect_trace()
    turned = replace(trace.joints[0].best, axis=np.array([0.0, 1.0, 0.0]))
    wrong = with_candidates(trace, 0, turned)
    assert arena.arena_distance(wrong, box_truth()) > 0.5


def test_ranges_count_only_where_asked_for():
    pytest.importorskip("articulatearena")
    trace = perfect_trace()
    limited = replace(trace.joints[0].best, lower=-1.0, upper=1.0)
    short = with_candidates(trace, 0, limited)
    assert arena.arena_distance(short, box_truth(), limits=False) == pytest.approx(0, abs=1e-9)
    assert arena.arena_distance(short, box_truth()) > 0.1
