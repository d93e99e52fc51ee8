import numpy as np
import pytest
from sampled_shapes import angle_between, box, merged_cloud

from autourdf_ros.estimation.motion.fitting.articulation import Articulation, body_poses
from autourdf_ros.estimation.motion.registration.deformation_graph import neighbour_graph
from autourdf_ros.estimation.motion.registration.frame_set import FrameSet
from autourdf_ros.estimation.motion.structure.candidates import residual_candidates
from autourdf_ros.estimation.motion.structure.candidates.link_fitting import track_patch
from autourdf_ros.estimation.motion.structure.candidates.posed_candidate import (
    CandidateLink,
    PosedCandidate,
)
from autourdf_ros.estimation.motion.structure.candidates.residual_candidates import (
    with_residual_links,
)
from autourdf_ros.geometry.rigid_motion import revolute_twist

NOISE, COUNTS = 2e-3, np.array([2400, 1250, 150])
SHAPES = [
    box((0.3, 0.3, 0.1)),
    box((0.1, 0.12, 0.3), (0, 0, 0.21)),
    box((0.05, 0.03, 0.08), (0.05, 0, 0.4)),
]
ACROSS = np.array([0.0, 1, 0])
HINGE = revolute_twist(ACROSS, np.array([0.05, 0, 0.36]))
RAIL = np.array([0, 0, 0, 1.0, 0, 0])


def scene(last, values):
    """Two boxes, the second turning; and a small one, hung on it by a joint, that nobody knows."""
    twists = np.stack([revolute_twist(np.array([0.0, 0, 1]), np.zeros(3)), last])
    anchors = np.array([[0, 0, 0.05], [0.05, 0, 0.36]])
    revolute = np.array([True, bool(last[:3].any())])
    true = Articulation(np.array([0, 1]), twists, revolute, anchors)
    base = np.tile(np.eye(4), (len(values), 1, 1))
    reference, labels = merged_cloud(SHAPES, np.tile(np.eye(4), (3, 1, 1)), COUNTS, 0)
    frames = [
        merged_cloud(SHAPES, poses, COUNTS, 1 + f)[0]
        for f, poses in enumerate(body_poses(true, values, base))
    ]
    known = Articulation(true.parents[:1], twists[:1], revolute[:1], anchors[:1])
    taken = np.where(labels == 2, 1, labels)
    model = PosedCandidate(known, values[:, :1], base, taken, np.ones(1), np.full(1, 9.0))
    return reference, labels, frames, model


def completed(reference, frames, model):
    halves = np.array_split(np.arange(len(frames)), 2)
    neighbours = neighbour_graph(reference.points, reference.spacing)
    return with_residual_links(FrameSet(reference, frames, neighbours, NOISE, halves), model)


def walk(step):
    """Two sequences of joint values (8, 2) that begin at zero."""
    turns = np.array([0.1, 0.2, 0.3, 0.2])
    first = np.stack([turns, step * np.arange(1, 5)], axis=1)
    second = np.stack([-turns, -step * np.arange(1, 5)], axis=1)
    return np.concatenate([first, second])


@pytest.mark.slow
@pytest.mark.parametrize(("last", "step"), [(HINGE, 0.15), (RAIL, 0.01)], ids=["hinge", "rail"])
def test_a_small_link_is_found_with_its_joint(last, step):
    reference, labels, frames, model = scene(last, walk(step))
    found = completed(reference, frames, model)
    assert found.model.parents.tolist() == [0, 1]
    assert found.model.revolute.tolist() == [True, bool(last[:3].any())]
    part = slice(0, 3) if last[:3].any() else slice(3, 6)
    assert angle_between(found.model.twists[1, part], last[part]) < 0.1
    sign = np.sign(found.model.twists[1, part] @ last[part])
    np.testing.assert_allclose(sign * found.values[:, 1], walk(step)[:, 1], atol=0.2 * step)
    assert np.mean(found.labels[labels == 2] == 2) > 0.7
    assert np.mean(labels[found.labels == 2] == 2) > 0.7
    np.testing.assert_array_equal(found.values[:, 0], model.values[:, 0])


@pytest.mark.slow
def test_a_patch_moves_rigidly_to_the_end_of_a_long_sequence():
    """Rounding errors of constant velocity doubled in every frame: of 500 the engine failed."""
    turns = np.linspace(0.01, 0.5, 55)
    reference, labels, frames, model = scene(HINGE, np.stack([turns, turns], axis=1))
    neighbours = neighbour_graph(reference.points, reference.spacing)
    whole = FrameSet(reference, frames, neighbours, NOISE, [np.arange(55)])
    parents = body_poses(model.model, model.values, model.base)[:, 1]
    patch = np.flatnonzero(labels == 2)
    motion, _ = track_patch(whole, patch, np.arange(55), parents)
    rotations = motion[:, :3, :3]
    square = rotations @ np.swapaxes(rotations, 1, 2)
    np.testing.assert_allclose(square, np.tile(np.eye(3), (55, 1, 1)), atol=1e-12)


def test_a_model_that_explains_all_points_stays_as_it_is():
    values = walk(0.0)
    reference, _, frames, model = scene(HINGE, values)
    assert completed(reference, frames, model) is model


@pytest.mark.slow
def test_a_wrong_link_gives_way_to_the_one_that_was_hidden():
    """The small box has a joint already, but one that does not do what it does."""
    reference, labels, frames, model = scene(HINGE, walk(0.15))
    old = model.model
    wrong = PosedCandidate(
        Articulation(
            np.array([0, 1]),
            np.stack([old.twists[0], RAIL]),
            np.array([True, False]),
            np.concatenate([old.anchors, [[0.05, 0, 0.4]]]),
        ),
        np.concatenate([model.values, np.full((8, 1), 1e-3)], axis=1),
        model.base,
        labels,
        np.ones(2),
        np.ones(2),
    )
    found = completed(reference, frames, wrong)
    assert found.model.parents.tolist() == [0, 1]
    assert found.model.revolute.all()
    assert angle_between(found.model.twists[1, :3], ACROSS) < 0.1
    assert found.labels.max() == 2


def test_what_a_link_leaves_of_a_patch_is_tried_by_itself(monkeypatch):
    """Fingers side by side are one patch that no link explains."""
    reference, labels, frames, model = scene(HINGE, walk(0.15))
    both = np.flatnonzero(labels == 2)
    first, second = both[:75], both[75:]
    rounds, tried = [both, second], []

    def link_of(frames, posed, costs, patch, barred):
        tried.append((patch.tolist(), barred))
        link = CandidateLink(1, first, HINGE, True, walk(0.15)[:, 1], 0.0, 99.0)
        return link if len(tried) == 1 else None

    monkeypatch.setattr(residual_candidates, "nested_patches", lambda *_: [(1.5, rounds.pop(0))])
    monkeypatch.setattr(residual_candidates, "_link_of", link_of)
    found = completed(reference, frames, model)
    assert tried == [(both.tolist(), []), (second.tolist(), [2])]  # not on the link found
    assert found.model.parents.tolist() == [0, 1]
