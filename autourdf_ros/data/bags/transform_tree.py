"""Transforms of a whole bag at any of its times, interpolated as by tf2."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation, Slerp

from autourdf_ros.errors import InputError

Matrix = NDArray[np.float64]


class _Edge:
    """The transforms of one frame to its parent; times in nanoseconds."""

    def __init__(self, parent: str) -> None:
        self.parent = parent
        self.is_static = False
        self._found: dict[int, tuple[list[float], list[float]]] = {}
        self._stamps: NDArray[np.int64] | None = None

    def add(self, stamp: int, shift: list[float], turn: list[float]) -> None:
        """Add a translation (m) and a quaternion x y z w at `stamp` (ns)."""
        self._found[stamp] = shift, turn
        self._stamps = None

    def at(self, stamp: int, where: str) -> Matrix:
        """Return the transform (4, 4) at `stamp` (ns). where: begins the error message."""
        if self._stamps is None:
            self._stamps = np.array(sorted(self._found))
        stamps = self._stamps
        if self.is_static:
            stamp = int(stamps[-1])
        if not stamps[0] <= stamp <= stamps[-1]:
            raise InputError(
                f"{where} is known from {stamps[0] / 1e9:.3f} to {stamps[-1] / 1e9:.3f} s, not at "
                f"{stamp / 1e9:.3f} s"
            )
        after = int(np.searchsorted(stamps, stamp))
        early, late = int(stamps[max(after - 1, 0)]), int(stamps[after])
        (shift, turn), (shift_late, turn_late) = self._found[early], self._found[late]
        share = (stamp - early) / (late - early) if late > early else 1.0
        matrix = np.eye(4)
        matrix[:3, 3] = (1 - share) * np.array(shift) + share * np.array(shift_late)
        turns = Rotation.from_quat([turn, turn_late])
        matrix[:3, :3] = Slerp([0.0, 1.0], turns)(share).as_matrix()
        return matrix

    def apart(self, stamp: int) -> int:
        """Return the time (ns) between the transforms around `stamp`; 0 where one has that time."""
        if self.is_static:
            return 0
        if self._stamps is None:
            self._stamps = np.array(sorted(self._found))
        before, after = (np.searchsorted(self._stamps, stamp, side) for side in ("left", "right"))
        if before < after:
            return 0
        return int(self._stamps[after] - self._stamps[before - 1])


class TransformTree:
    """Frames and the transforms between them over time.

    It interpolates translations linearly and rotations along the shorter arc (Shoemake, SIGGRAPH
    1985). A static transform holds at every time; of several, the last one.
    """

    def __init__(self) -> None:
        self._edges: dict[str, _Edge] = {}
        self._disputed: dict[str, set[str]] = {}

    def add(
        self,
        frames: tuple[str, str],
        stamp: int,
        transform: tuple[list[float], list[float]],
        is_static: bool,
    ) -> None:
        """Add a transform. It is ignored, as by tf2, where it is not finite or not of norm 1.

        Args:
            frames: parent and child; the transform brings points of the child into the parent.
            stamp: nanoseconds.
            transform: translation (m) and quaternion x y z w.
            is_static: whether it holds at every time.
        """
        parent, child = (frame.removeprefix("/") for frame in frames)
        shift, turn = transform
        norm = float(np.dot(turn, turn))
        if not np.isfinite([*shift, norm]).all() or abs(norm - 1) > 0.01 or parent == child:
            return
        edge = self._edges.setdefault(child, _Edge(parent))
        if edge.parent != parent:
            self._disputed.setdefault(child, {edge.parent}).add(parent)
            return
        edge.is_static |= is_static
        edge.add(stamp, shift, turn)

    @property
    def frames(self) -> list[str]:
        """All frames, sorted."""
        return sorted({*self._edges, *(edge.parent for edge in self._edges.values())})

    def common_ancestor(self, frames: Iterable[str]) -> str | None:
        """Return the topmost frame above all of `frames`, or None where they share none."""
        tops = {self._chain(frame.removeprefix("/"))[-1] for frame in frames}
        return tops.pop() if len(tops) == 1 else None

    def lookup(self, target: str, source: str, stamp: int) -> Matrix:
        """Return the (4, 4) transform of points in `source` into `target` at `stamp` (ns).

        Raises:
            InputError: names the frames, and the time where the transform is not known.
        """
        above_target, above_source = self._path(target, source)
        to_target = self._climb(above_target, stamp)
        return np.asarray(np.linalg.inv(to_target) @ self._climb(above_source, stamp))

    def apart(self, target: str, source: str, stamp: int) -> float:
        """Return the longest time (s) between two transforms that `lookup` interpolates; or 0."""
        edges = [self._edges[frame] for frames in self._path(target, source) for frame in frames]
        return max((edge.apart(stamp) / 1e9 for edge in edges), default=0.0)

    def _path(self, target: str, source: str) -> tuple[list[str], list[str]]:
        """The frames above both, from each up to what they share. Raise InputError."""
        target, source = target.removeprefix("/"), source.removeprefix("/")
        up, down = self._chain(target), self._chain(source)
        if up[-1] != down[-1]:
            raise InputError(
                f"no transform from {source!r} to {target!r}: they are in separate trees; the "
                f"frames are {', '.join(self.frames) or '(none)'}"
            )
        # Frames that both share cancel out and need not be known at this time.
        shared = set(up) & set(down)
        above_target = [frame for frame in up if frame not in shared]
        return above_target, [frame for frame in down if frame not in shared]

    def _chain(self, frame: str) -> list[str]:
        chain = [frame]
        while chain[-1] in self._edges:
            chain.append(self._edges[chain[-1]].parent)
            if chain[-1] in chain[:-1]:
                raise InputError(f"the transforms form a loop: {' in '.join(chain)}")
        return chain

    def _climb(self, frames: list[str], stamp: int) -> Matrix:
        matrix = np.eye(4)
        for frame in frames:
            if frame in self._disputed:
                raise InputError(
                    f"frame {frame!r} has the parents {', '.join(sorted(self._disputed[frame]))}; "
                    "accepted is one"
                )
            edge = self._edges[frame]
            matrix = edge.at(stamp, f"the transform from {frame!r} to {edge.parent!r}") @ matrix
        return matrix
