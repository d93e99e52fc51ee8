"""Known forces on the joints of a mechanism, from a CSV file."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError

STAMP = "stamp"
_MOST_ROWS = 1_000_000


@dataclass(frozen=True)
class KnownForces:
    """Forces that were applied along joints, each held until the next stamp.

    Attributes:
        joints: Names of the joints, the order of the columns.
        stamps: (F,) s, rising, on the clock of the video.
        forces: (F, J) N m, or N of joints that slide.
        source: File, for errors.
    """

    joints: tuple[str, ...]
    stamps: NDArray[np.float64]
    forces: NDArray[np.float64]
    source: str = "forces"

    def of(self, joints: tuple[str, ...]) -> NDArray[np.float64]:
        """Return (F, J) forces on these joints, zero for those that are not named.

        Raises:
            InputError: a force acts on another joint.
        """
        if unknown := sorted(set(self.joints) - set(joints)):
            raise InputError(
                f"{self.source}: names joint {unknown[0]!r}; accepted are the joints that move: "
                f"{', '.join(joints)}"
            )
        found = np.zeros((len(self.stamps), len(joints)))
        for column, name in enumerate(self.joints):
            found[:, joints.index(name)] = self.forces[:, column]
        return found


def read_known_forces(path: Path) -> KnownForces:
    """Read forces: a header `stamp,JOINT,...`, then a line for each stamp from which they hold.

    Raises:
        InputError: the file cannot be read, has no such header, or a value that is no finite
            number; stamps do not rise; names the line.
    """
    try:
        with path.open(newline="") as file:
            lines = [line for _, line in zip(range(_MOST_ROWS), csv.reader(file), strict=False)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: cannot be read as CSV: {error}") from error
    header = [cell.strip() for cell in lines[0]] if lines else []
    if len(header) < 2 or header[0] != STAMP or len(set(header)) < len(header):
        raise InputError(
            f"{path}: its first line is {','.join(header)[:60]!r}; accepted is 'stamp' and names "
            "of joints"
        )
    rows = [_numbers(path, number, line, len(header)) for number, line in enumerate(lines[1:], 2)]
    values = np.array([row for row in rows if row], float).reshape(-1, len(header))
    if not len(values) or (np.diff(values[:, 0]) <= 0).any():
        raise InputError(f"{path}: {len(values)} stamps; accepted is at least one, and they rise")
    return KnownForces(tuple(header[1:]), values[:, 0], values[:, 1:], str(path))


def _numbers(path: Path, number: int, line: list[str], count: int) -> list[float]:
    if not line:
        return []
    try:
        values = [float(cell) for cell in line]
    except ValueError:
        values = []
    if len(values) != count or not np.isfinite(values).all():
        raise InputError(
            f"{path}: line {number} is {','.join(line)[:60]!r}; accepted are {count} finite numbers"
        )
    return values
