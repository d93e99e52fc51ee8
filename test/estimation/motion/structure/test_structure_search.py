from dataclasses import replace

import numpy as np
import pytest
from synthetic_robot import moving_recording

from autourdf_ros.errors import ReconstructionError
from autourdf_ros.estimation.motion.reconstruction import ReconstructionOptions
from autourdf_ros.estimation.motion.registration.preparation import prepare
from autourdf_ros.estimation.motion.structure import structure_search
from autourdf_ros.estimation.motion.structure.structure_search import search_structure
from autourdf_ros.progress import silent
from autourdf_ros.stopwatch import Stopwatch

pytestmark = pytest.mark.slow

OPTIONS = ReconstructionOptions()


@pytest.fixture(scope="module")
def prepared():
    return prepare(moving_recording(frames=6, sway=0.1), OPTIONS.points, report=lambda _: None)


@pytest.fixture
def searches(monkeypatch):
    """By what is searched: whether readings may be used."""
    done, search = [], structure_search._search

    def noted(prepared, options, *rest, **choices):
        done.append(options.use_readings)
        return search(prepared, options, *rest, **choices)

    monkeypatch.setattr(structure_search, "_search", noted)
    return done


def found_in(prepared, options=OPTIONS):
    return search_structure(prepared, options, Stopwatch(), silent)


def test_what_the_readings_show_is_not_searched_again_by_motion_alone(prepared, searches):
    problem, found, _ = found_in(prepared)
    assert searches == [True]
    assert problem.motors == ("lift", "pan") and problem.options == OPTIONS
    assert found.follow_motors.all()
    assert sorted(found.tree.motors.columns.tolist()) == [0, 1]
    values = found.predicted(problem.readings)
    assert np.isfinite(values).all()


def test_few_frames_for_the_motors_make_it_begin_by_motion_alone(prepared, searches, monkeypatch):
    monkeypatch.setattr(structure_search, "FRAMES_A_MOTOR", 3)  # there are six, and two motors
    _, found, _ = found_in(prepared)
    assert searches == [False]
    assert found.follow_motors.all()


def test_a_motor_without_joint_makes_it_search_by_motion_alone(prepared, searches, monkeypatch):
    monkeypatch.setattr(structure_search, "FRAMES_A_MOTOR", 1)

    def with_third(reading):
        return {**reading, "unseen": reading["pan"] ** 2 + 0.3 * np.sin(9 * reading["lift"])}

    readings = tuple(tuple(map(with_third, part)) for part in prepared.readings)
    _, found, _ = found_in(replace(prepared, readings=readings))
    assert searches == [True, False]
    assert len(found.model.parents) == 2


def test_a_joint_without_motor_makes_it_search_by_motion_alone(prepared, searches):
    """It may be spurious, or be taken for the one of a motor whose own joint is corrupted by it."""
    readings = tuple(
        tuple({"pan": reading["pan"]} for reading in part) for part in prepared.readings
    )
    _, found, _ = found_in(replace(prepared, readings=readings))
    assert searches == [True, False]
    assert len(found.model.parents) == 2


def test_readings_that_are_not_to_be_used_are_not(prepared, searches):
    problem, found, _ = found_in(prepared, replace(OPTIONS, use_readings=False))
    assert searches == [False]
    assert problem.readings is None and not found.follow_motors.any()


def blind_where(monkeypatch, use_readings):
    """Let the search by readings, or that by motion alone, find nothing."""
    search = structure_search._search

    def blind(prepared, options, *rest):
        if options.use_readings in use_readings:
            raise ReconstructionError("all that was seen moves as one rigid body")
        return search(prepared, options, *rest)

    monkeypatch.setattr(structure_search, "_search", blind)


def test_where_the_readings_show_nothing_the_motion_alone_does(prepared, monkeypatch):
    blind_where(monkeypatch, [True])
    problem, found, _ = found_in(prepared)
    assert len(found.model.parents) == 2
    assert problem.readings is not None and found.follow_motors.all()


def test_a_search_from_more_frames_is_by_motion_alone(prepared, searches):
    search_structure(prepared, OPTIONS, Stopwatch(), silent, early=10)
    assert searches == [False]


def test_what_neither_shows_is_an_error(prepared, monkeypatch):
    blind_where(monkeypatch, [True, False])
    with pytest.raises(ReconstructionError, match="one rigid body"):
        found_in(prepared)


def test_what_follows_more_motors_is_taken(prepared, monkeypatch):
    counts = {True: 2, False: 1}
    taken = []

    def counted(problem, found, _):
        return counts[found.expanded is not None]

    monkeypatch.setattr(structure_search, "unmatched_count", counted)
    for counts[False] in (1, 3):
        taken.append(found_in(prepared)[1].expanded is not None)
    assert taken == [False, True]
