"""What a case of the suite is made of."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from autourdf_ros.data.parts.erased.mechanism import Mechanism
from autourdf_ros.errors import InputError

CaseKind = Literal["robot", "object"]


@dataclass(frozen=True)
class CaseSource:
    """A robot or object whose joints can be erased.

    Attributes:
        name: Of the case.
        kind: Robots and objects have tables of their own.
        package: That has to be installed, as PyPI names it.
        read: Returns what its model says.
    """

    name: str
    kind: CaseKind
    package: str
    read: Callable[[], Mechanism]

    @property
    def installed(self) -> bool:
        """Whether the package is there."""
        try:
            importlib.metadata.distribution(self.package)
        except importlib.metadata.PackageNotFoundError:
            return False
        return True


def package_folder(module: str) -> Path:
    """Return the folder of an installed package, which is not imported.

    Raises InputError where it is not installed.
    """
    found = importlib.util.find_spec(module)
    if found is None or not found.submodule_search_locations:
        raise InputError(f"package '{module}' is not installed")
    return Path(next(iter(found.submodule_search_locations)))
