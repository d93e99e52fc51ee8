"""The part that a change names is re-estimated, checked on held-out observations, and written."""

import json
from dataclasses import replace

import numpy as np
import pytest
from repaired_arm import CAMERAS, compared, observations, with_box, written_arm

from autourdf_ros.assessment.comparison.compared_robot import open_robot
from autourdf_ros.assessment.comparison.comparison import compare
from autourdf_ros.errors import InputError
from autourdf_ros.geometry.rigid_motion import exp_se3, inverse, log_se3, transform
from autourdf_ros.model.result_files import DOCUMENT
from autourdf_ros.monitoring.change import Change
from autourdf_ros.monitoring.diagnosis.causes import Causes
from autourdf_ros.monitoring.observing.watched_model import load_watched_model
from autourdf_ros.monitoring.repairing.correction import corrected, correction_of
from autourdf_ros.monitoring.repairing.model_repair import repair, write_repair

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    return written_arm(tmp_path_factory.mktemp("results") / "arm")


@pytest.fixture(scope="module")
def model(result):
    return load_watched_model(result)


@pytest.fixture(scope="module")
def healthy(model):
    return compared(model, observations(model, 6, 0))


def change(kind, subject):
    return Change(kind, subject, (), 20.0, "it is seen")


def damaged(model, kind, subject, parameters, place=0):
    """The model after a change, and what the change was."""
    causes = Causes(model, tuple(CAMERAS))
    named = [one for one in causes.table if (one.kind, one.subject) == (kind, subject)]
    correction = correction_of(causes, named[place], np.array(parameters))
    return corrected(model, correction), correction


def test_a_zero_is_found_and_recorded(result, model, healthy, tmp_path):
    now, _ = damaged(model, "joint_zero", "arm/lift", [np.radians(1.5)])
    recent = compared(model, observations(now, 6, 1))
    made = repair(model, change("joint_zero", "arm/lift"), healthy, recent)
    assert made.accepted and made.counts == (8, 4)
    offset, std = made.refit.parameters[0], np.sqrt(made.refit.covariance[0, 0])
    assert np.degrees(offset) == pytest.approx(1.5, abs=0.15)
    assert abs(offset - np.radians(1.5)) < 4 * std
    out = write_repair(result, tmp_path / "new", made)
    (record,) = json.loads((out / DOCUMENT).read_text())["repairs"]
    assert record["kind"] == "joint_zero" and record["held_out_check"]["passed"]
    assert record["parameters"][0]["value"] == offset
    changed = [joint for joint in compare(open_robot(result), open_robot(out)).joints if joint.zero]
    assert [joint.names[0] for joint in changed] == ["arm_lift"]
    # The repaired model explains what was seen as the old one explained the arm before.
    repaired = load_watched_model(out)
    again = compared(repaired, observations(now, 4, 2))
    left = repair(repaired, change("joint_zero", "arm/lift"), healthy, again)
    assert not left.accepted and abs(left.refit.parameters[0]) < np.radians(0.2)


@pytest.mark.parametrize(
    ("kind", "subject", "parameters"),
    [
        ("joint_axis", "arm_lift", [0.03, 0.0, 0.0, 0.01]),
        ("base_pose", "link_0", [0.0, 0.0, 0.03, 0.01, 0.0, 0.0]),
        ("link_shape", "link_2", [0.0, 0.0, 0.05, 0.0, 0.0, 0.0]),
    ],
)
def test_other_changes_bring_the_surface_where_it_is(model, healthy, kind, subject, parameters):
    now, _ = damaged(model, kind, subject, parameters, place=1 if kind == "link_shape" else 0)
    recent = compared(model, observations(now, 6, 1))
    made = repair(model, change(kind, subject), healthy, recent)
    assert made.accepted, made.summary
    found = corrected(model, made.correction)
    reading = {"shoulder-pan": 0.4, "arm/lift": 0.5, "slide": 0.05}
    gaps = []
    for one in (model, found):
        poses, truth = (which.poses(which.values(reading)) for which in (one, now))
        there = poses[one.segment_body[one.vertex_segment]]
        true = truth[now.segment_body[now.vertex_segment]]
        ours = np.einsum("nij,nj->ni", there[:, :3, :3], one.vertices) + there[:, :3, 3]
        theirs = np.einsum("nij,nj->ni", true[:, :3, :3], now.vertices) + true[:, :3, 3]
        gaps.append(np.linalg.norm(ours - theirs, axis=1).mean())
    assert gaps[1] < 0.35 * gaps[0], gaps


@pytest.mark.parametrize(("link", "place"), [("link_1", 0), ("link_2", 2)])
def test_a_link_is_cut_where_the_observations_are_most_probable(model, healthy, link, place):
    # Log odds, each against the points that this cut itself matches, would name another place.
    rng = np.random.default_rng([place, 1])
    twist = [*rng.normal(0, 0.06, 3), *rng.normal(0, 0.01, 3)]
    now, truth = damaged(model, "link_shape", link, twist, place)
    made = repair(
        model, change("link_shape", link), healthy, compared(model, observations(now, 4, 2))
    )
    assert made.correction.cut.place == pytest.approx(truth.cut.place)


def test_a_camera_gets_its_pose_and_the_model_stays(result, model, healthy, tmp_path):
    turned = CAMERAS | {"left": CAMERAS["left"] @ exp_se3(np.array([0, 0.02, 0, 0, 0, 0.01]))}
    recent = compared(model, observations(model, 6, 1, cameras=turned))
    made = repair(model, change("camera_pose", "left"), healthy, recent)
    assert made.accepted, made.summary
    assert not made.for_model
    left = log_se3(inverse(made.camera_pose(CAMERAS["left"])) @ turned["left"])
    assert np.linalg.norm(left[:3]) < 0.004 and np.linalg.norm(left[3:]) < 0.004
    with pytest.raises(InputError, match="the model stays as it is"):
        write_repair(result, tmp_path / "new", made)
    assert not (tmp_path / "new").exists()


def test_what_is_attached_becomes_a_link(result, model, healthy, tmp_path):
    now = with_box(model, "link_2", (0.05, 0.05, 0.12), (0.3, 0.0, 0.52))
    recent = compared(model, observations(now, 6, 1))
    made = repair(model, change("attachment", "link_2"), healthy, recent)
    assert made.accepted, made.summary
    assert made.part.is_watertight
    assert made.part.extents == pytest.approx([0.05, 0.05, 0.12], abs=0.02)
    assert made.part.bounds.mean(axis=0) == pytest.approx([0.3, 0.0, 0.52], abs=0.012)
    out = write_repair(result, tmp_path / "new", made)
    found = compare(open_robot(result), open_robot(out))
    assert found.added_links == ("attached",) and not found.removed_links
    repaired = load_watched_model(out)
    assert repaired.links[-1] == "attached"
    document = json.loads((out / DOCUMENT).read_text())
    assert document["joints"][-1]["parent"] == "link_2"
    old = json.loads((result / DOCUMENT).read_text())
    assert [(one["check"], one["outcome"]) for one in document["checks"]] == [
        (one["check"], one["outcome"]) for one in old["checks"]
    ]


def test_a_stray_point_of_before_cuts_nothing_off_the_part(model, healthy):
    # As a flying pixel of a finger beside it.
    observation = healthy[0].observation
    there = transform(observation.poses[model.links.index("link_2")], np.array([[0.3, 0.0, 0.56]]))
    outlier = replace(
        observation, about=np.concatenate([observation.about, there.astype(np.float32)])
    )
    before = [replace(healthy[0], observation=outlier), *healthy[1:]]
    now = with_box(model, "link_2", (0.05, 0.05, 0.12), (0.3, 0.0, 0.52))
    made = repair(
        model, change("attachment", "link_2"), before, compared(model, observations(now, 6, 1))
    )
    assert made.accepted, made.summary
    assert made.part.extents == pytest.approx([0.05, 0.05, 0.12], abs=0.02)


def test_no_change_is_not_accepted(model, healthy):
    recent = compared(model, observations(model, 6, 1))
    made = repair(model, change("joint_zero", "shoulder-pan"), healthy, recent)
    assert not made.accepted and abs(made.refit.parameters[0]) < np.radians(0.1)


def test_the_wrong_cause_is_not_accepted(model, healthy):
    now, _ = damaged(model, "joint_zero", "arm/lift", [np.radians(1.0)])
    recent = compared(model, observations(now, 6, 1))
    made = repair(model, change("joint_zero", "spin"), healthy, recent)
    assert not made.accepted, made.summary


@pytest.mark.parametrize(
    ("kind", "subject", "message"),
    [
        ("object", "", "nothing to repair: it is seen"),
        ("joint_zero", "nobody", "joint_zero of 'nobody': the model and its cameras have no such"),
        ("attachment", "nobody", "attachment to 'nobody': the model has no such link"),
    ],
)
def test_what_cannot_be_repaired_is_named(model, healthy, kind, subject, message):
    with pytest.raises(InputError, match=message):
        repair(model, change(kind, subject), healthy, healthy)


def test_too_few_observations_are_refused(model, healthy):
    with pytest.raises(InputError, match="12 observations from before the change and 2 since then"):
        repair(model, change("joint_zero", "spin"), healthy, healthy[:2])


def test_too_few_held_out_observations_are_not_judged(model, healthy):
    now, _ = damaged(model, "joint_zero", "spin", [np.radians(3.0)])
    left = [
        one for one in compared(model, observations(now, 6, 1)) if one.observation.camera == "left"
    ]
    with pytest.raises(InputError, match=r"too few held-out .* \(2 pairs .*; accepted: at least 3"):
        repair(model, change("joint_zero", "spin"), healthy, left)
