"""What is no fault is reported as well."""

from dataclasses import replace

import numpy as np
from synthetic_robot import arm_model

from autourdf_ros.estimation.motion.reconstruction import BaseMotion, Loop
from autourdf_ros.estimation.motion.result.notes import left_out_notes, mimic_notes, notes_on
from autourdf_ros.model.tree_joint import Mimic


def test_everything_worth_knowing_is_named():
    up = np.array([0, 0, 1.0])
    loop = Loop(("link_1", "link_3"), ("pan", "lift"), "revolute", up, 0 * up, 1.0)
    notes = notes_on(
        BaseMotion("floating", 0.2, 0.1, 0.3, 0.5),
        "turns",
        "link_0",
        (loop,),
        ("wrist",),
        ("rod",),
        ("knuckle",),
    )
    floats, closed, still, hidden, unseen = notes
    assert "floats" in floats and "11 degrees and 100 mm" in floats
    assert "'link_1' and 'link_3' are joined as well, by a revolute joint" in closed
    assert "'pan', 'lift'" in closed
    assert "'wrist' never moved" in still
    assert "'rod' is round" in hidden
    assert "no point of link 'knuckle'" in unseen


def test_a_fixed_robot_with_nothing_odd_has_no_notes():
    assert notes_on(BaseMotion("fixed"), "still", "link_0", (), (), (), ()) == ()


def test_what_mimics_is_reported_with_the_reason():
    pan, lift, slide, spin = arm_model(count=10).joints
    unknown = replace(spin, estimate=replace(spin.estimate, motor=None))
    by_motor, by_sight = mimic_notes(
        [
            pan,
            lift,
            replace(slide, mimic=Mimic("arm/lift", -0.1, 0.02)),
            replace(unknown, mimic=Mimic("shoulder-pan", 3.0, 0.0)),
        ]
    )
    assert "'slide' mimics 'arm/lift', -0.1 times plus 0.02: motor 'slide' moves both" in by_motor
    assert "'spin' mimics 'shoulder-pan', 3 times: in every frame" in by_sight


def test_frames_that_are_left_out_are_named():
    names = [f"0000/{i}" for i in range(14)]
    used = np.ones(14, dtype=bool)
    assert left_out_notes(names, used) == ()
    used[[3, 7]] = False
    (note,) = left_out_notes(names, used)
    assert "frames 0000/3, 0000/7 do not fit the model and were left out" in note
    (many,) = left_out_notes(names, ~used)
    assert "0000/11 and 2 more" in many
