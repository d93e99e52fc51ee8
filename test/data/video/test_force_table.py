"""Known forces beside a video."""

import numpy as np
import pytest

from autourdf_ros.data.video.force_table import ForceTable, read_forces, write_forces
from autourdf_ros.errors import InputError

pytestmark = pytest.mark.fast


def test_what_is_written_comes_back(tmp_path):
    rng = np.random.default_rng(0)
    sent = ForceTable(
        np.arange(5) / 7,
        {"a": rng.normal(size=(5, 3)), "b.c": rng.normal(size=(5, 3))},
        {"b.c": rng.normal(size=(5, 3))},
        {"hinge": rng.normal(size=5)},
    )
    write_forces(sent, tmp_path / "forces.csv")
    back = read_forces(tmp_path / "forces.csv")
    assert np.array_equal(back.stamps, sent.stamps)
    for name in ("forces", "points", "efforts"):
        one, other = getattr(back, name), getattr(sent, name)
        assert list(one) == list(other)
        assert all(np.array_equal(one[key], other[key]) for key in one)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "columns none"),
        ("time\n0\n", "columns time"),
        ("a.fx,a.fy,a.fz\n0,0,0\n", "columns a.fx"),
        ("time,a.fx,a.fy\n0,0,0\n", "without a.fz"),
        ("time,a.effort\n", "columns time, a.effort"),
        ("time,a.effort,a.effort\n0,0,0\n", "columns"),
        ("time,a.speed\n0,0\n", "column 'a.speed'"),
        ("time,effort\n0,0\n", "column 'effort'"),
        ("time,a.px,a.py,a.pz\n0,0,0,0\n", "points of 'a' without forces"),
        ("time,a.effort\n0,x\n", "line 2"),
        ("time,a.effort\n0,nan\n", "line 2 is not finite"),
        ("time,a.effort\n0,1\n1\n", "line 3 has 1 values"),
        ("time,a.effort\n0,1\n0,1\n", "time 1 is 0.0 s"),
    ],
)
def test_a_wrong_table_is_named(tmp_path, text, named):
    path = tmp_path / "forces.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=named) as caught:
        read_forces(path)
    assert str(path) in str(caught.value)


def test_a_missing_or_binary_file_is_named(tmp_path):
    path = tmp_path / "forces.csv"
    with pytest.raises(InputError, match=r"forces\.csv"):
        read_forces(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=r"forces\.csv: cannot be read"):
        read_forces(path)
