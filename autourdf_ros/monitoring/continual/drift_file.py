"""The drift of a robot on disk: drift.json beside the history of its models.

Keys: `format`, `version`, `parameters` (each with `kind`, `subject`, `name` and `unit`) and `bins`,
each with `model` (its folder's name), `start` and `end` (stamps, s), `looks` (the number of
observations), and `values` and `stds` in the order of the parameters, null for a parameter that the
model does not have.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autourdf_ros.errors import InputError
from autourdf_ros.files.durable_files import replace_text
from autourdf_ros.files.file_version import check_version
from autourdf_ros.monitoring.change import Quantity
from autourdf_ros.monitoring.continual.drift import DriftBin, drifts

DRIFT = "drift.json"
FORMAT = "autourdf_ros/drift"
VERSION = 1
_DIGITS = 6


def drift_table(bins: Sequence[DriftBin]) -> dict[str, Any]:
    """Return the content of the file."""
    units = {key: one.unit for own in bins for key, one in own.quantities.items()}
    return {
        "format": FORMAT,
        "version": VERSION,
        "parameters": [
            {"kind": kind, "subject": subject, "name": name, "unit": unit}
            for (kind, subject, name), unit in units.items()
        ],
        "bins": [
            {
                "model": one.model,
                "start": one.start,
                "end": one.end,
                "looks": one.observations,
                "values": [_rounded(one, key, "value") for key in units],
                "stds": [_rounded(one, key, "std") for key in units],
            }
            for one in bins
        ],
    }


def drift_entry(bins: Sequence[DriftBin]) -> dict[str, Any]:
    """Return `drift` for reconstruction.json, with sentences as `told`; empty without bins."""
    if not bins:
        return {}
    table = drift_table(bins)
    significant = [one.summary for one in drifts(bins)]
    return {
        "drift": {"parameters": table["parameters"], "bins": table["bins"], "told": significant}
    }


def write_drift(path: Path, bins: Sequence[DriftBin]) -> None:
    """Write beside the file and rename. Raises InputError where it cannot be written."""
    try:
        replace_text(path, json.dumps(drift_table(bins)) + "\n")
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from error


def read_drift(path: Path) -> tuple[DriftBin, ...]:
    """Read the bins of a file; none without a file.

    Raises:
        InputError: The file is damaged or of another version.
    """
    try:
        content = json.loads(path.read_text())
        check_version(path, content, FORMAT, VERSION)
        return tuple(_bin(content["parameters"], one) for one in content["bins"])
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"{path}: is damaged ({error}); accepted: {FORMAT} {VERSION}") from error


def read_or_set_aside(path: Path) -> tuple[tuple[DriftBin, ...], str]:
    """Read the bins; a file that cannot be read is renamed.

    Returns:
        The bins (none after a rename), and the problem or an empty string.
    """
    try:
        return read_drift(path), ""
    except InputError as error:
        aside = path.with_name(f"{path.name}.damaged")
        try:
            path.replace(aside)
        except OSError as problem:
            return (), f"{error}; it could not be set aside: {problem.strerror}"
        return (), f"{error}; it was set aside as {aside.name}"


def _rounded(one: DriftBin, key: tuple[str, str, str], which: str) -> float | None:
    quantity = one.quantities.get(key)
    return None if quantity is None else float(f"{getattr(quantity, which):.{_DIGITS}g}")


def _bin(parameters: Sequence[dict[str, Any]], content: dict[str, Any]) -> DriftBin:
    quantities = {}
    for one, value, std in zip(parameters, content["values"], content["stds"], strict=True):
        if value is not None:
            key = str(one["kind"]), str(one["subject"]), str(one["name"])
            quantities[key] = Quantity(key[2], float(value), float(std), one["unit"])
    return DriftBin(
        str(content["model"]),
        float(content["start"]),
        float(content["end"]),
        int(content["looks"]),
        quantities,
    )
