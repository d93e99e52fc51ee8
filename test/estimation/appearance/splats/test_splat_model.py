"""Splats in the world, and the gradients by all that they have."""

from dataclasses import fields, replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation
from splat_arm import splat_arm

from autourdf_ros.estimation.appearance.rasterizer.rasterize import Gaussians
from autourdf_ros.estimation.appearance.splats.harmonics import TERMS
from autourdf_ros.estimation.appearance.splats.splat_model import (
    Splats,
    moved,
    posed,
    posed_back,
)
from autourdf_ros.geometry.rigid_motion import exp_se3, inverse

LINKS = np.array([0, 1, 1, 2, 0])


def some(seed):
    """Splats in double precision (the kernels take both), link poses, and a loss's weights."""
    rng = np.random.default_rng(seed)
    count = len(LINKS)
    splats = Splats(
        means=rng.normal(size=(count, 3)),
        quaternions=rng.normal(size=(count, 4)),
        log_scales=rng.uniform(-2, 0, (count, 3)),
        logits=rng.normal(size=count),
        albedos=rng.uniform(0, 1, (count, 3)),
        normals=rng.normal(size=(count, 3)),
        light=rng.normal(size=(TERMS, 3)),
    )
    weights = Gaussians(
        *(rng.normal(size=shape) for shape in ((count, 3), (count, 6), (count,), (count, 3)))
    )
    return splats, exp_se3(rng.normal(size=(3, 6))), weights


def loss(splats, poses, weights):
    found = posed(splats, LINKS, poses)
    return sum(
        float((getattr(weights, name) * getattr(found, name).astype(float)).sum())
        for name in ("means", "covariances", "opacities", "colors")
    )


def test_a_splat_moves_turns_and_is_lit_as_its_link():
    splats, poses, _ = some(0)
    found = posed(splats, LINKS, poses)
    for i, link in enumerate(LINKS):
        turn, shift = poses[link, :3, :3], poses[link, :3, 3]
        axes = turn @ Rotation.from_quat(splats.quaternions[i], scalar_first=True).as_matrix()
        full = axes @ np.diag(np.exp(2 * splats.log_scales[i])) @ axes.T
        assert_allclose(found.means[i], turn @ splats.means[i] + shift, rtol=1e-5, atol=1e-6)
        assert_allclose(found.covariances[i], full[np.triu_indices(3)], rtol=1e-5, atol=1e-6)
    white = replace(splats, light=np.eye(TERMS)[:, :1] * np.ones(3) / 0.282095)
    assert_allclose(posed(white, LINKS, poses).colors, splats.albedos, rtol=1e-4)


def test_single_precision_gives_the_same_gradients():
    splats, poses, weights = some(0)
    single, by = (
        type(v)(**{f.name: getattr(v, f.name).astype(np.float32) for f in fields(v)})
        for v in (splats, weights)
    )
    exact, found = posed_back(splats, LINKS, poses, weights), posed_back(single, LINKS, poses, by)
    for name, array in exact[0].arrays().items():
        assert_allclose(found[0].arrays()[name], array, atol=2e-5, err_msg=name)
    assert_allclose(found[1], exact[1], atol=1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_gradients_are_those_of_small_changes(seed):
    splats, poses, weights = some(seed)
    by, _ = posed_back(splats, LINKS, poses, weights)
    rng, step = np.random.default_rng(seed), 3e-3
    for name, array in splats.arrays().items():
        for _ in range(4):
            way = rng.normal(size=array.shape)
            ends = [
                loss(replace(splats, **{name: array + sign * step * way}), poses, weights)
                for sign in (1, -1)
            ]
            assert_allclose(
                (getattr(by, name) * way).sum(),
                (ends[0] - ends[1]) / (2 * step),
                rtol=2e-3,
                atol=2e-3,
                err_msg=name,
            )


@pytest.mark.parametrize("seed", range(3))
def test_gradients_by_the_links_are_those_of_small_twists(seed):
    splats, poses, weights = some(seed)
    _, by_twists = posed_back(splats, LINKS, poses, weights)
    rng, step = np.random.default_rng(seed), 1e-3
    for _ in range(6):
        way = rng.normal(size=(3, 6))
        ends = [loss(splats, exp_se3(sign * step * way) @ poses, weights) for sign in (1, -1)]
        assert_allclose(
            (by_twists * way).sum(), (ends[0] - ends[1]) / (2 * step), rtol=2e-3, atol=5e-3
        )


def test_splats_in_other_frames_look_the_same():
    robot = splat_arm(20)
    rng = np.random.default_rng(0)
    count = len(robot.tree.links)
    shifts = exp_se3(rng.normal(0, 0.5, (count, 6)))
    poses = robot.gaussians(np.array([0.4, -0.3, 0.04]))[2]
    before = posed(robot.splats, robot.links, poses)
    after = posed(moved(robot.splats, robot.links, shifts), robot.links, poses @ inverse(shifts))
    for name in ("means", "covariances", "colors"):
        assert_allclose(getattr(after, name), getattr(before, name), atol=2e-5)
