"""USD: the robot for Isaac Sim and others, by urdf-usd-converter where that is installed."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from autourdf_ros.errors import InputError
from autourdf_ros.model.result_files import URDF, USD


def check_usd() -> None:
    """Raise InputError where USD cannot be written. Long work calls it first."""
    if find_spec("urdf_usd_converter") is None:
        raise InputError(
            "--usd: needs the package urdf-usd-converter; install it: pip install "
            "'autourdf_ros[usd]'"
        )


def write_usd(folder: Path) -> Path:
    """Convert the URDF in `folder` to `folder`/usd; returns the path of its main layer.

    Raises InputError as `check_usd` does.
    """
    check_usd()
    import urdf_usd_converter
    import usdex.core

    usdex.core.activateDiagnosticsDelegate()
    usdex.core.setDiagnosticsLevel(usdex.core.DiagnosticsLevel.eError)
    asset = urdf_usd_converter.Converter().convert(str(folder / URDF), str(folder / USD))
    return Path(asset.path)
