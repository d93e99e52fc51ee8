"""docs/reconstruction_json.md names every key that is written."""

import json
import re
from pathlib import Path

import pytest
from sample_assembly import write_cabinet
from synthetic_robot import arm_reconstruction, arm_recording

from autourdf_ros.export.document import to_document, to_text
from autourdf_ros.export.formats.urdf import write_urdf
from autourdf_ros.shape.collision.collision_pairs import DisabledPair
from autourdf_ros.shape.urdf_options import UrdfOptions
from autourdf_ros.workflows.reconstruct import completed

PAGE = Path(__file__).parents[2] / "docs" / "reconstruction_json.md"
BY_NAME = {
    "reference_configuration",
    "reference_readings",
    "timings",
    "software",
    "drives",
    "features",
    "terms",
    "mcts",
}
"""Whose keys are names of joints, motors, stages, packages, and of a method's numbers."""


def keys_of(value):
    """All keys in a JSON value but those that are names of things."""
    if isinstance(value, list):
        return {key for item in value for key in keys_of(item)}
    if not isinstance(value, dict):
        return set()
    if any(name.startswith(("link_", "cabinet_")) for name in value):  # of a layer: by link
        return {key for item in value.values() for key in keys_of(item)}
    deeper = (keys_of(item) for key, item in value.items() if key not in BY_NAME)
    return set(value).union(*deeper)


@pytest.mark.parametrize("readings", [True, False])
def test_every_key_is_named(readings, tmp_path):
    reconstruction = arm_reconstruction(readings=readings, count=20)
    light = UrdfOptions(visual_triangles=1000)
    content = completed(reconstruction, "arm", arm_recording(reconstruction), light)
    write_urdf(content.model, tmp_path, name="arm", options=light, solids=content.solids)
    pairs = [DisabledPair("link_0", "link_1", "Default")]
    document = to_document(content, pairs, tmp_path)
    document = json.loads(to_text(document))
    assert any("between link_0 and link_1, also real ones" in note for note in document["notes"])
    named = set(re.findall(r"`(\w+)`", PAGE.read_text()))
    assert keys_of(document) - named == set()
    assert {"axis_std", "smoothness", "held_out_cost", "residual"} <= keys_of(document) | {
        "residual"
    }


@pytest.mark.slow
def test_every_key_of_parts_is_named(tmp_path):
    document = json.loads((write_cabinet(tmp_path / "out") / "reconstruction.json").read_text())
    named = set(re.findall(r"`(\w+)`", PAGE.read_text()))
    assert keys_of(document) - named == set()
    assert {"runner_up", "ambiguous", "edge_probability", "set_aside"} <= keys_of(document)


@pytest.mark.slow
def test_parts_have_every_key_of_motion(tmp_path):
    """A reader of one result reads the other."""
    reconstruction = arm_reconstruction(readings=False, count=20)
    light = UrdfOptions(visual_triangles=1000)
    content = completed(reconstruction, "arm", arm_recording(reconstruction), light)
    write_urdf(content.model, tmp_path, name="arm", options=light, solids=content.solids)
    motion = json.loads(to_text(to_document(content, [], tmp_path)))
    parts = json.loads((write_cabinet(tmp_path / "out") / "reconstruction.json").read_text())
    assert set(parts) - set(motion) == {"assembly", "checks"}
    assert set(motion) <= set(parts)
    for key in ("base", "residuals", "input", "assumed"):
        assert set(motion[key]) <= set(parts[key])
    for key in ("links", "joints"):
        uncertain = {"axis_std", "line_std", "covariance", "across", "probabilities", "motor"}
        assert set(motion[key][0]) - uncertain <= set(parts[key][0])
