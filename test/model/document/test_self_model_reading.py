"""reconstruction.json as a model: both versions, and files of unknown origin."""

import copy
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_results import write_small_arm
from synthetic_robot import arm_reconstruction

from autourdf_ros.errors import AutourdfError, InputError
from autourdf_ros.model.document.layer_entries import layers_document
from autourdf_ros.model.document.self_model_reading import described_model, read_self_model
from autourdf_ros.model.document_migration import VERSION, migrated
from autourdf_ros.model.forward_kinematics import link_poses
from autourdf_ros.model.layers.appearance import AppearanceLayer, LinkSplats
from autourdf_ros.model.layers.dynamics import DynamicsLayer, JointDynamics
from autourdf_ros.model.layers.inertia import InertiaLayer, LinkInertia
from autourdf_ros.model.layers.layer import Provenance, Verdict

pytestmark = pytest.mark.slow

VERSION_1 = Path(__file__).parent / "version_1"
MADE = arm_reconstruction(count=30)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_small_arm(tmp_path_factory.mktemp("read") / "out")


def document_of(folder):
    return json.loads((folder / "reconstruction.json").read_text())


def test_a_folder_states_the_model_that_it_was_written_from(folder):
    model = read_self_model(folder)
    given = MADE.model
    assert model.tree.links == given.tree.links
    for read, joint in zip(model.joints, given.joints, strict=True):
        assert (read.type, read.parent, read.child) == (joint.type, joint.parent, joint.child)
        np.testing.assert_array_equal(read.axis, joint.axis)
        np.testing.assert_array_equal(read.point, joint.point)
        assert (read.lower, read.upper, read.reference) == (
            joint.lower,
            joint.upper,
            joint.reference,
        )
        np.testing.assert_array_equal(read.estimate.covariance, joint.estimate.covariance)
        assert read.estimate.confidence == joint.estimate.confidence
        assert read.estimate.motor == joint.estimate.motor
    values = np.linspace(-0.5, 0.5, len(given.joints))
    np.testing.assert_array_equal(link_poses(model.tree, values), link_poses(given.tree, values))


def test_a_folder_states_its_layers(folder):
    model, document = read_self_model(folder), document_of(folder)
    assert document["version"] == VERSION
    assert list(model.layers) == ["kinematics", "shape", "inertia"] == list(document["layers"])
    assert model.stale == {} and not any(e["stale"] for e in document["layers"].values())
    assert model.digests == {name: e["digest"] for name, e in document["layers"].items()}
    assert model.kinematics.verdict == Verdict(MADE.verdict, MADE.warnings)
    assert model.inertia.verdict.trust == "doubtful"
    for shape in model.shape.links.values():
        assert all((folder / file).is_file() for file in (*shape.visual, *shape.collision))
    assert layers_document(model) == document["layers"]


def full_model(folder):
    model = read_self_model(folder)
    link, joint = model.tree.links[1], model.tree.joint_names[0]
    origin = Provenance("test", "ab", "2026-01-01T00:00:00+00:00")
    own = LinkInertia(2.0, np.ones(3), 0.1 * np.eye(3), 0.01 * np.eye(10), True)
    layers = (
        InertiaLayer(links={link: own}, provenance=origin, rests_on={"shape": "old"}),
        AppearanceLayer(links={link: LinkSplats("splats/a.ply", "cd", 0.1)}, provenance=origin),
        DynamicsLayer(joints={joint: JointDynamics(1.0, 2.0, 3.0, 0.1, None, 0.3)}),
    )
    for layer in layers:
        model = model.with_layer(layer)
    return model


def test_all_layers_come_back_as_they_were(folder):
    model = full_model(folder)
    document = {**document_of(folder), "layers": layers_document(model)}
    read = described_model(json.loads(json.dumps(document)))
    assert read.digests == model.digests and read.stale == {"inertia": ("shape",)}
    assert read.appearance == model.appearance and read.dynamics == model.dynamics
    link = model.tree.links[1]
    assert read.inertia.links[link].payload and read.inertia.provenance == model.inertia.provenance
    np.testing.assert_array_equal(
        read.inertia.links[link].covariance, model.inertia.links[link].covariance
    )


def test_a_document_of_version_1_is_read():
    document = document_of(VERSION_1)
    assert document["version"] == 1 and "layers" not in document
    model = read_self_model(VERSION_1)
    assert list(model.layers) == ["kinematics", "shape", "inertia"] and model.stale == {}
    origin = model.kinematics.provenance
    assert (origin.method, origin.data_digest) == ("motion/engine", document["input"]["sha256"])
    assert model.kinematics.verdict == Verdict(document["verdict"], tuple(document["warnings"]))
    assert [joint.name for joint in model.joints] == [one["name"] for one in document["joints"]]
    assert all(own.covariance is None for own in model.inertia.links.values())
    assert model.inertia.links["link_1"].mass > 0
    assert len(model.shape.links["link_1"].visual) == 1


def test_migration_keeps_all_keys_and_is_done_once():
    document = document_of(VERSION_1)
    new = migrated(document)
    assert {key: new[key] for key in document if key != "version"} == {
        key: value for key, value in document.items() if key != "version"
    }
    assert new["version"] == VERSION and migrated(new) == new


def at(document, path):
    for key in path[:-1]:
        document = document[key]
    return document


@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        (("joints", 0, "axis"), [1, 2], "joints[0].axis: is [1, 2]; accepted is numbers of shape"),
        (("joints", 0, "axis"), [0, 0, 2], "joint 'shoulder_pan' has an axis of length 2"),
        (("joints", 1, "type"), "planar", "joints[1].type: is 'planar'"),
        (("joints", 1, "parent"), "nowhere", "unknown link 'nowhere'"),
        (("joints", 0, "reference"), True, "joints[0].reference: is True"),
        (("joints", 0, "reference"), 10**400, "joints[0].reference: is 1000"),
        (("joints", 0), 3, "joints[0]: is 3; accepted is an object"),
        (("joints",), {}, "joints: is {}; accepted is a list"),
        (("links", 0, "name"), None, "links[0].name: is None; accepted is a text"),
        (("layers", "inertia", "links", "link_1", "mass"), -1, "inertia.links.link_1: mass is -1"),
        (("layers", "inertia", "links", "link_1", "centre"), "x", "link_1.centre: is 'x'"),
        (("layers", "inertia", "links", "link_9"), 1, "inertia.links.link_9: is 1"),
        (("layers", "shape", "verdict"), "fine", "layers.shape.verdict: is 'fine'"),
        (("layers", "shape", "rests_on"), {"soul": "1"}, "rests_on.soul: is no layer"),
        (("layers", "shape", "links", "link_1", "visual"), [1], "link_1.visual: is [1]"),
    ],
)
def test_what_is_damaged_is_named_with_file_and_key(folder, tmp_path, path, value, named):
    document = document_of(folder)
    at(document, path)[path[-1]] = value
    copied = shutil.copytree(folder, tmp_path / "out")
    (copied / "reconstruction.json").write_text(json.dumps(document))
    with pytest.raises(InputError) as raised:
        read_self_model(copied)
    assert named in str(raised.value)
    assert str(raised.value).startswith(str(copied / "reconstruction.json"))


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
SMALL = document_of(VERSION_1)
PATHS = [
    ("joints", 0, "axis"),
    ("joints", 0, "mimic"),
    ("joints", 1, "motor"),
    ("joints", 1, "probabilities"),
    ("joints", 2, "covariance"),
    ("joints", 2, "lower"),
    ("links", 0),
    ("links",),
    ("joints",),
    ("name",),
    ("layers",),
    ("layers", "kinematics"),
    ("layers", "kinematics", "reasons"),
]


@given(st.sampled_from(PATHS), JSON_VALUES)
def test_no_value_breaks_the_reader(path, value):
    document = copy.deepcopy(migrated(SMALL))
    at(document, path)[path[-1]] = value
    try:
        described_model(document)
    except AutourdfError as error:
        assert str(error).startswith("reconstruction.json")
