"""Forecasts of a mechanism's folder."""

from pathlib import Path

import numpy as np
import pytest
from hinged_video import hinged_video
from PIL import Image
from swinging_video import swinging_values

from autourdf_ros.errors import InputError
from autourdf_ros.workflows.mechanisms.mechanism_dynamics import add_dynamics
from autourdf_ros.workflows.mechanisms.mechanism_forecast import (
    FRAMES,
    STATES,
    AheadOptions,
    forecast_result,
    write_forecast,
)
from autourdf_ros.workflows.mechanisms.mechanism_result import WrittenMechanism, write_mechanism

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def swung(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, np.ndarray]:
    """A folder with dynamics from 90 frames of a free swing, and all 150 frames' joint values."""
    out = tmp_path_factory.mktemp("swung") / "out"
    values = swinging_values(150)
    noisy = values[:90] + np.random.default_rng(0).standard_normal((90, 2)) * [1e-4, 1e-3]
    write_mechanism(hinged_video(noisy), out, WrittenMechanism("cart-pole"))
    add_dynamics(out)
    return out, values


def test_the_future_lies_in_the_band_and_frames_show_it(
    swung: tuple[Path, np.ndarray], tmp_path: Path
) -> None:
    out, values = swung
    found = forecast_result(out, AheadOptions(seconds=2.0))
    true = values[90:150]
    assert found.states.positions.shape == (60, 2)
    assert (np.abs(found.states.positions - true).max(0) < [0.005, 0.03]).all()
    inside = (found.states.lower <= true) & (true <= found.states.upper)
    assert inside.mean() > 0.5
    assert found.depth is not None and found.depth.shape == (60, 30, 40)
    bar = np.abs(found.depth - 2.0) > 0.02
    columns = np.flatnonzero(bar.any((0, 1)))
    assert bar.any((1, 2)).all() and 1 < np.ptp(columns) < 20
    folder = write_forecast(found, tmp_path / "ahead")
    header, *rows = (folder / STATES).read_text().splitlines()
    assert header.split(",")[:3] == ["stamp", "rail", "rail_lower"] and len(rows) == 60
    with Image.open(folder / FRAMES / "0000.png") as image:
        assert np.asarray(image)[0, 0] == 2000
    assert write_forecast(found, folder) == folder


def test_a_folder_without_dynamics_and_a_full_target_are_refused(
    swung: tuple[Path, np.ndarray], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    write_mechanism(hinged_video(swinging_values(10)), out, WrittenMechanism("cart-pole"))
    with pytest.raises(InputError, match="has no dynamics_posterior"):
        forecast_result(out)
    with pytest.raises(InputError, match="above 0"):
        AheadOptions(seconds=0.0)
    (tmp_path / "own.txt").write_text("mine")
    found = forecast_result(swung[0], AheadOptions(seconds=0.1, frames=False))
    assert found.depth is None
    with pytest.raises(InputError, match="holds something else"):
        write_forecast(found, tmp_path)
