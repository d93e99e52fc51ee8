"""Check that torch and a device of it are there."""

from __future__ import annotations

from importlib.util import find_spec

from autourdf_ros.errors import InputError


def check_torch(what: str = "the networks of AutoURDF") -> None:
    """Raise InputError where torch, which `what` need, is missing. Long work calls it first."""
    if find_spec("torch") is None:
        raise InputError(
            f"{what} need the package torch; install it: pip install 'autourdf_ros[neural]'"
        )


def check_device(name: str) -> None:
    """Raise InputError where torch, or this device of it, is not there."""
    check_torch()
    import torch

    try:
        torch.empty(1, device=name)
    except (AssertionError, RuntimeError) as error:
        first = str(error).splitlines()[0]
        raise InputError(
            f"device {name!r} cannot be used: {first}; accepted is cpu, or cuda where "
            "torch finds one"
        ) from error
