"""docs/reconstruction_json.md names every key that is written."""

import json
import re
from pathlib import Path

import pytest
from synthetic_robot import arm_reconstruction, arm_recording

from autourdf_ros.export.document import to_document, to_text
from autourdf_ros.export.formats.urdf import urdf_names
from autourdf_ros.shape.collision.collision_pairs import DisabledPair
from autourdf_ros.shape.urdf_options import DEFAULTS
from autourdf_ros.shape.visual.link_solids import link_solids

PAGE = Path(__file__).parents[2] / "docs" / "reconstruction_json.md"
BY_NAME = {"reference_configuration", "reference_readings", "timings", "software", "drives"}
"""Whose keys are names of joints, motors, stages and packages."""


def keys_of(value):
    """All keys in a JSON value but those that are names of things."""
    if isinstance(value, list):
        return {key for item in value for key in keys_of(item)}
    if not isinstance(value, dict):
        return set()
    deeper = (keys_of(item) for key, item in value.items() if key not in BY_NAME)
    return set(value).union(*deeper)


@pytest.mark.parametrize("readings", [True, False])
def test_every_key_is_named(readings):
    reconstruction = arm_reconstruction(readings=readings, count=20)
    names = urdf_names(reconstruction.model, "arm")
    recording = arm_recording(reconstruction)
    solids = link_solids(reconstruction.model, 1000)
    pairs = [DisabledPair("link_0", "link_1", "Default")]
    document = to_document(reconstruction, names, recording, DEFAULTS, solids, pairs=pairs)
    document = json.loads(to_text(document))
    assert any("between link_0 and link_1, also real ones" in note for note in document["notes"])
    named = set(re.findall(r"`(\w+)`", PAGE.read_text()))
    assert keys_of(document) - named == set()
    assert {"axis_std", "smoothness", "held_out_cost", "residual"} <= keys_of(document) | {
        "residual"
    }
