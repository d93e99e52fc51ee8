"""Documented import paths of earlier versions, which still work and warn."""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

FORMER = {
    "autourdf_ros.kinematics.pipeline": "autourdf_ros.estimation.motion.pipeline",
    "autourdf_ros.kinematics.reconstruction": "autourdf_ros.estimation.motion.reconstruction",
    "autourdf_ros.kinematics.streaming": "autourdf_ros.estimation.motion.streaming",
    "autourdf_ros.description.joint_grading": "autourdf_ros.model.joint_grading",
}
"""The present path of every module whose former path was documented."""

_PACKAGES = {path.rpartition(".")[0] for path in FORMER}


class FormerPaths(MetaPathFinder, Loader):
    """Import finder that leads a former path to the module of today."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a spec for a former path; None for any other."""
        if fullname not in FORMER and fullname not in _PACKAGES:
            return None
        return ModuleSpec(fullname, self, is_package=fullname in _PACKAGES)

    def exec_module(self, module: ModuleType) -> None:
        """Put the module of today in the former one's place, and warn."""
        today = FORMER.get(module.__name__)
        if today is not None:
            message = f"{module.__name__} is now {today}; use the names of autourdf_ros itself"
            warnings.warn(message, DeprecationWarning, stacklevel=2)
            sys.modules[module.__name__] = importlib.import_module(today)


def install() -> None:
    """Let imports find the former paths, once a process."""
    if not any(isinstance(finder, FormerPaths) for finder in sys.meta_path):
        sys.meta_path.append(FormerPaths())
