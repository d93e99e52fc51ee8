"""Choose the method by which a mechanism's parameters are found."""

from __future__ import annotations

from typing import Literal, get_args

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.dynamics.joint_motion_data import JointMotionData
from autourdf_ros.estimation.dynamics.mechanism.simulated_mechanism import Mechanism
from autourdf_ros.estimation.dynamics.methods.csvgd_method import csvgd
from autourdf_ros.estimation.dynamics.methods.method_options import MethodOptions, MethodResult
from autourdf_ros.estimation.dynamics.methods.single_shooting_methods import (
    adam,
    cmaes,
    ensemble,
)
from autourdf_ros.estimation.dynamics.posterior.dynamics_posterior import DynamicsPosterior
from autourdf_ros.estimation.dynamics.posterior.laplace_posterior import laplace_posterior
from autourdf_ros.estimation.dynamics.posterior.posterior_density import posterior_density
from autourdf_ros.estimation.dynamics.shooting.map_fit import fit_motions

Method = Literal["shooting", "adam", "cmaes", "emcee", "csvgd"]
METHODS: tuple[Method, ...] = get_args(Method)


def find_parameters(
    mechanism: Mechanism,
    data: JointMotionData,
    method: Method,
    options: MethodOptions = MethodOptions(),  # noqa: B008  (frozen)
    start: DynamicsPosterior | None = None,
) -> MethodResult:
    """Find parameters by one of `METHODS`.

    Args:
        mechanism: With the prior.
        data: Motions.
        method: "shooting" is the default elsewhere, and knows no budget.
        options: Budget of the others.
        start: Where emcee starts, with its noise; None for the prior, and the stated noise.

    Raises:
        InputError: the method is unknown, or its package is not installed, or the data cannot be
            used with the mechanism.
    """
    if method == "shooting":
        found = laplace_posterior(fit_motions(mechanism, data))
        samples = found.samples(options.particles, options.seed)
        return MethodResult(mechanism.table, found.mean, float("nan"), samples)
    if method == "csvgd":
        return csvgd(mechanism, data, options)
    methods = {"adam": adam, "cmaes": cmaes, "emcee": ensemble}
    if method not in methods:
        raise InputError(f"method {method!r}; accepted are {', '.join(METHODS)}")
    return methods[method](posterior_density(mechanism, data, start), options)
