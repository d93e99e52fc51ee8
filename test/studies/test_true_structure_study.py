"""What the study of true structures begins with."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from autourdf_ros.data.frame import Frame, Recording, Sequence
from autourdf_ros.estimation.motion.registration.preparation import prepare

ROOT = Path(__file__).parents[2]
AXES = {"slide": [1, 0, 0], "lift": [0, 1, 0], "pan": [0, 0, 1]}


@pytest.fixture(scope="module")
def study():
    path = ROOT / "studies" / "true_structure_study.py"
    spec = importlib.util.spec_from_file_location("true_structure_study", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_it_begins_with_the_true_links_axes_and_tree_in_the_engines_units_and_order(study):
    """The truth may name a joint before the one that it hangs on."""
    rng = np.random.default_rng(0)
    body = np.repeat([0, 3, 1, 2], 150)
    points = rng.uniform(-0.2, 0.2, (600, 3)) + np.array([0.0, 0.0, 0.4]) * body[:, None]
    frame = Frame(points.astype(np.float32), None, 0.0, None)
    recording = Recording((Sequence((frame, frame), "0000"),))
    joints = [("slide", 1, 2), ("lift", 3, 1), ("pan", 0, 3)]
    truth = {
        "joints": [
            {
                "name": name,
                "type": "prismatic" if name == "slide" else "revolute",
                "axis": AXES[name],
                "point": [0.1, 0.2, 0.3],
                "parent": parent,
                "child": child,
            }
            for name, parent, child in joints
        ],
        "reference_labels": body.tolist(),
    }
    prepared = prepare(recording, 600, report=lambda _: None)
    found = study.true_candidate(truth, prepared, recording)
    np.testing.assert_array_equal(found.model.parents, [0, 1, 2])
    np.testing.assert_array_equal(found.model.revolute, [True, True, False])
    turning = found.model.twists[:2]
    np.testing.assert_allclose(turning[:, :3], [AXES["pan"], AXES["lift"]])
    place = (np.array([0.1, 0.2, 0.3]) - prepared.centre) / prepared.scale
    np.testing.assert_allclose(turning[:, 3:], np.cross(place, turning[:, :3]), atol=1e-12)
    np.testing.assert_allclose(found.model.twists[2], [0, 0, 0, *AXES["slide"]])
    heights = [prepared.reference.points[found.labels == link, 2].mean() for link in range(4)]
    np.testing.assert_allclose(
        np.array(heights) * prepared.scale + prepared.centre[2], [0, 1.2, 0.4, 0.8], atol=0.05
    )
