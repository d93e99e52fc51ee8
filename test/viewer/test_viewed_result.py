import json
import shutil

import pytest

from autourdf_ros.errors import InputError
from autourdf_ros.viewer.viewed_result import load_result

pytestmark = pytest.mark.slow  # the first to read a result starts processes


def test_a_result_is_read_with_its_joints_judged(sample):
    result = load_result(sample.folder)
    assert [judgement.grade for judgement in result.judgements.values()] == [
        "good",
        "fair",
        "fair",
        "doubtful",
    ]
    assert result.urdf.is_file()


def test_anything_else_is_refused(sample, tmp_path):
    with pytest.raises(
        InputError, match=r"is no result folder \(reconstruction\.json cannot be read"
    ):
        load_result(tmp_path)
    (tmp_path / "reconstruction.json").write_text('{"format": ')
    with pytest.raises(
        InputError, match=r"is no result folder \(reconstruction\.json is no JSON: "
    ):
        load_result(tmp_path)
    (tmp_path / "reconstruction.json").write_text("[]")
    with pytest.raises(InputError, match=r"has no format autourdf_ros/reconstruction\); accepted"):
        load_result(tmp_path)
    out = shutil.copytree(sample.folder, tmp_path / "out")
    path = out / "reconstruction.json"
    document = json.loads(path.read_text())
    path.write_text(json.dumps(document | {"version": 99}))
    with pytest.raises(InputError, match="has version 99; accepted are 1 and 2"):
        load_result(out)
    path.write_text(json.dumps({key: document[key] for key in ("format", "version", "joints")}))
    with pytest.raises(InputError, match=r"reconstruction\.json: is damaged"):
        load_result(out)


def test_a_urdf_that_does_not_go_with_it_is_refused(sample, tmp_path):
    out = shutil.copytree(sample.folder, tmp_path / "out")
    urdf = out / "robot.urdf"
    text = urdf.read_text()
    urdf.write_text(text.replace('"spin"', '"span"'))
    with pytest.raises(InputError, match=r"robot\.urdf: has no joint 'spin'"):
        load_result(out)
    urdf.write_text(text[: len(text) // 2])
    with pytest.raises(InputError, match=r"robot\.urdf: is no XML"):
        load_result(out)
    urdf.unlink()
    with pytest.raises(InputError, match=r"robot\.urdf: cannot be read"):
        load_result(out)
    urdf.write_text(text)
    mesh = next((out / "meshes" / "visual").glob("link_1*.obj"))
    mesh.unlink()
    with pytest.raises(InputError, match=rf"its mesh meshes/visual/{mesh.name} is missing"):
        load_result(out)
