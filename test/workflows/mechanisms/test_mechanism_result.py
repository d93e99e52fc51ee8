"""The result folder of a mechanism in a video."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hinged_video import hinged_video

from autourdf_ros.model.document.self_model_reading import read_self_model
from autourdf_ros.model.result_files import MJCF, REPORT, URDF, result_document
from autourdf_ros.workflows.mechanisms.mechanism_result import WrittenMechanism, write_mechanism

pytestmark = pytest.mark.slow


def _values() -> np.ndarray:
    time = np.linspace(0, 2, 40)
    return np.column_stack([0.2 * np.sin(3 * time), 0.8 * np.cos(4 * time)])


def test_a_folder_holds_model_meshes_report_and_what_was_seen(tmp_path: Path) -> None:
    values = _values()
    values[5] = np.nan
    found = hinged_video(np.nan_to_num(values))
    found.track.poses[1, 5] = np.nan
    found = replace(found, joint_values=values, options={"method": "likelihood"})
    out = write_mechanism(found, tmp_path / "out", WrittenMechanism("cart-pole"))
    assert all((out / name).is_file() for name in (URDF, MJCF, REPORT))
    document = result_document(out)
    bodies = {one["name"]: one for one in document["mechanism"]["bodies"]}
    assert (bodies["bar"]["seen"], bodies["bar"]["longest_gap"]) == (39, 1)
    assert document["sequences"][0]["joint_values"][5] == [None, None]
    joints = {joint["name"]: joint for joint in document["joints"]}
    assert (joints["rail"]["type"], joints["hinge"]["type"]) == ("prismatic", "revolute")
    assert joints["hinge"]["lower"] < -0.8 and joints["hinge"]["upper"] > 0.8
    assert document["verdict"] == "trusted"
    page = (out / REPORT).read_text()
    assert "Tracks of the bodies" in page and "autourdf reconstruct" not in page
    model = read_self_model(out)
    assert model.tree.links == ("world", "cart", "bar")
    assert model.inertia is not None
    assert model.inertia.links["bar"].mass == pytest.approx(0.45, rel=1e-3)


def test_a_body_that_leaves_its_joint_is_a_doubt(tmp_path: Path) -> None:
    found = hinged_video(_values())
    found.track.poses[1, :, 2, 3] += 0.01 * np.sin(np.arange(40))
    document = result_document(
        write_mechanism(found, tmp_path / "out", WrittenMechanism("cart-pole"))
    )
    links = {link["name"]: link for link in document["links"]}
    assert document["verdict"] == "doubtful" and "bar does not move" in document["warnings"][0]
    assert links["bar"]["cost"] > 3 > links["cart"]["cost"]


def test_a_body_that_is_seldom_seen_fails_the_result(tmp_path: Path) -> None:
    found = hinged_video(_values())
    found.track.poses[1, 10:] = np.nan
    assert found.verdict == "failed"
    assert replace(hinged_video(_values()), warnings=("odd",)).verdict == "doubtful"
