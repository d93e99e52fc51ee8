"""PLY files of splats: what is written comes back; faults are named."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.splats.first_splats import first_splats
from autourdf_ros.estimation.appearance.splats.splat_file import read_splats, write_splats


def splats(count=30):
    rng = np.random.default_rng(0)
    normals = rng.normal(size=(count, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return first_splats(normals * 0.1, normals, rng.uniform(0, 1, (count, 3)))


def test_what_is_written_comes_back(tmp_path):
    sent, chosen = splats(), np.arange(30) % 3 > 0
    write_splats(sent, chosen, tmp_path / "a.ply")
    back = read_splats(tmp_path / "a.ply", sent.light)
    for name, array in back.arrays().items():
        expected = getattr(sent, name)
        expected = expected if name == "light" else expected[chosen]
        assert_allclose(array, expected, atol=1e-6, err_msg=name)


def test_discs_lie_in_the_surface():
    found = splats()
    assert (found.log_scales[:, 2] < found.log_scales[:, 0]).all()
    w, x, y, z = found.quaternions.T
    axes = np.column_stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
    assert_allclose(axes, found.normals, atol=1e-6)


def test_what_is_no_file_of_splats_is_named(tmp_path):
    path = tmp_path / "a.ply"
    path.write_text(
        "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
        "property float z\nend_header\n0 0 0\n"
    )
    with pytest.raises(InputError, match=r"a\.ply: has no f_dc_0, .*accepted is a PLY file"):
        read_splats(path, splats().light)
    found = splats()
    found.means[3, 1] = np.nan
    write_splats(found, np.ones(30, bool), path)
    with pytest.raises(InputError, match="are not all finite"):
        read_splats(path, found.light)
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(InputError, match=r"a\.ply"):
        read_splats(path, found.light)
