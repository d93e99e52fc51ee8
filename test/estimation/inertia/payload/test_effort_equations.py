"""A load by the efforts of joints: uneven stamps, singular poses, friction."""

from dataclasses import replace

import numpy as np
import pytest
from effort_arm import held_mallet
from weighed_tools import data_of, true_parameters

from autourdf_ros.data.wrenches.effort_wrenches import wrenches_from_efforts
from autourdf_ros.estimation.inertia.payload.effort_equations import effort_regression
from autourdf_ros.estimation.inertia.payload.motion_smoothing import record_filter
from autourdf_ros.estimation.inertia.payload.payload_pipeline import (
    IdentifyOptions,
    identify_payload,
)

TRUTH = true_parameters()


def mass_and_centre(found):
    """Errors of mass (kg) and centre of mass (3,) (m), each with its deviation."""
    own, covariance = found.parameters, found.covariance
    centre = own[1:4] / own[0]
    by_own = np.hstack([-centre[:, None], np.eye(3)]) / own[0]
    spread = np.sqrt(np.diag(by_own @ covariance[:4, :4] @ by_own.T))
    error = centre - TRUTH[1:4] / TRUTH[0]
    return (own[0] - TRUTH[0], np.sqrt(covariance[0, 0])), (error, spread)


def equations_of(read):
    return effort_regression(read, read.joints, record_filter(read)).equations(np.zeros(10))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_a_load_is_weighed_by_efforts_at_uneven_times_with_friction(tmp_path, seed):
    urdf, efforts = held_mallet(tmp_path, seed)
    read = wrenches_from_efforts(efforts, urdf, "l6")
    found = identify_payload(data_of(read), IdentifyOptions()).estimate
    (mass, mass_std), (centre, centre_std) = mass_and_centre(found)
    assert abs(mass) < 3 * mass_std < 0.06 * TRUTH[0]
    assert (np.abs(centre) < 3 * centre_std).all()
    assert (3 * centre_std < 0.015).all()
    assert found.bias is None


@pytest.mark.slow
def test_inertia_is_true_within_its_deviations_where_moves_are_fast(tmp_path):
    """The frame's poses were differentiated, not its joints: 4.2 deviations, at 3 rad in 0.8 s."""
    urdf, efforts = held_mallet(tmp_path, seed=1, count=700)
    matrix, target = equations_of(wrenches_from_efforts(efforts, urdf, "l6")).whitened()
    spread = np.linalg.inv(matrix.T @ matrix)
    error = spread @ (matrix.T @ target) - TRUTH
    assert (np.abs(error) < 3 * np.sqrt(np.diag(spread))).all()


@pytest.mark.slow
def test_near_singular_poses_weigh_little_and_cost_nothing(tmp_path):
    urdf, efforts = held_mallet(tmp_path)
    read = wrenches_from_efforts(efforts, urdf, "l6")
    values = np.linalg.svd(read.joints.jacobians, compute_uv=False)
    near = values[:, -1] < 0.02 * values[:, 0]
    assert near.sum() > 20
    kept = replace(read.joints, **{
        name: getattr(read.joints, name)[~near] for name in ("jacobians", "efforts", "constants")
    })  # fmt: skip
    far = replace(
        read,
        joints=kept,
        **{
            name: getattr(read, name)[~near]
            for name in ("times", "sensor_poses", "velocities", "accelerations", "wrenches")
        },
    )
    std = []
    for one in (read, far):
        matrix, target = (
            effort_regression(one, one.joints, record_filter(one))
            .equations(np.zeros(10))
            .whitened()
        )
        spread = np.linalg.inv(matrix.T @ matrix)
        error = spread @ (matrix.T @ target) - TRUTH
        std.append(np.sqrt(np.diag(spread)))
        assert (np.abs(error) < 4 * std[-1]).all()
    assert (std[0] < 1.02 * std[1]).all()


@pytest.mark.slow
def test_friction_is_eliminated_with_what_it_leaves_open(tmp_path):
    urdf, rough = held_mallet(tmp_path, friction=2.0)
    _, smooth = held_mallet(tmp_path, friction=0.0)
    found = []
    for one in (rough, smooth):
        read = wrenches_from_efforts(one, urdf, "l6")
        equations = effort_regression(read, read.joints, record_filter(read)).equations(
            np.zeros(10)
        )
        found.append(np.linalg.solve(equations.matrix, equations.target))
    std = np.sqrt(np.diag(np.linalg.inv(equations.matrix)))
    assert (np.abs(found[0] - found[1])[:4] < 3 * std[:4]).all()
