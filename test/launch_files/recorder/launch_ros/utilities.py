from __future__ import annotations

from pathlib import Path
from typing import Any

from launch import LaunchContext
from launch.utilities import perform_substitutions
from launch_ros.parameter_descriptions import ParameterValue


def evaluate_parameters(
    context: LaunchContext, parameters: list[Any]
) -> tuple[Path | dict[str, Any], ...]:
    """Parameter files as paths, parameters as dictionaries of values."""
    return tuple(
        _evaluate_dictionary(context, entry)
        if isinstance(entry, dict)
        else Path(perform_substitutions(context, [entry]))
        for entry in parameters
    )


def normalize_parameters(parameters: Any) -> list[Any]:
    """Of files and dictionaries; these need no change here."""
    return list(parameters)


def _evaluate_dictionary(context: LaunchContext, entry: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value.evaluate(context) if isinstance(value, ParameterValue) else value
        for name, value in entry.items()
    }
