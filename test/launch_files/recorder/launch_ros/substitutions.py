from __future__ import annotations

from pathlib import Path

from launch import LaunchContext

ROOT = Path(__file__).resolve().parents[4]


class FindPackageShare:
    """Where a package has installed its files; here the folder of the sources."""

    def __init__(self, package: str) -> None:
        self.package = package

    def perform(self, context: LaunchContext) -> str:
        if self.package != "autourdf_ros":
            raise LookupError(f"package '{self.package}' not found")
        return str(ROOT)


class ExecutableInPackage:
    """Where an executable is; here nothing is installed but what a test says."""

    def __init__(self, executable: str, package: str) -> None:
        self.executable, self.package = executable, package

    def perform(self, context: LaunchContext) -> str:
        raise LookupError(f"package '{self.package}' not found")
