"""The network of the study of forecasts without a model."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "studies"))


@pytest.mark.slow
def test_a_network_learns_a_disc_that_moves_and_its_kernels_are_derivatives():
    torch = pytest.importorskip("torch")
    from frame_predictor_study import small, trained
    from networks.physics_cells import FramePredictor, kernel_moments

    central = torch.zeros(1, 7, 7)
    central[0, 3, 2], central[0, 3, 4] = -0.5, 0.5
    moments = kernel_moments(central)[0]
    assert moments[0, 1] == 1
    assert moments[0, 0] == moments[0, 2] == moments[1, 0] == 0

    torch.manual_seed(0)
    rows, columns = np.mgrid[:60, :80]
    images = np.stack(
        [
            ((columns - 40 - 25 * np.sin(0.2 * step)) ** 2 + (rows - 30) ** 2 < 80).astype(float)
            for step in range(60)
        ]
    )
    given = small(images[:19])[None]
    errors = []
    for network in (FramePredictor(), trained(small(images), 4.0)[0]):
        with torch.no_grad():
            made = network(given, 19, 1)[0, -1, 0].cpu().numpy()
        errors.append(np.mean((made - images[19]) ** 2))
    assert errors[1] < 0.9 * errors[0]
