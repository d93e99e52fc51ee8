"""How well the motors' readings so far tell apart which of the motors moves what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.motion.trajectory import Positions

_PRIOR = 0.01  # of the information of a frame in which a motor is one unit from its start


@dataclass(frozen=True)
class ReadingSpread:
    """What frames told of the motions that M motors cause, whatever hangs on them.

    To first order a body's motion since the start is the sum of its motors' twists, each times how
    far the motor went, so the information about all twists of a body is that of a linear regression
    on the readings. start: readings (rad or m) in the order in which they are told apart. units:
    (M,) rad or m that count alike. information: (M, M), of readings in these units.
    """

    start: Positions
    units: NDArray[np.float64]
    information: NDArray[np.float64]

    @classmethod
    def at(cls, start: Positions, units: Sequence[float]) -> ReadingSpread:
        """Without frames but the one at the start."""
        return cls(dict(start), np.array(units), _PRIOR * np.eye(len(units)))

    def with_frame(self, target: Positions) -> ReadingSpread:
        """With a frame taken at these readings."""
        gone = self._gone([target])
        return replace(self, information=self.information + gone.T @ gone)

    def unknown(self, targets: Sequence[Positions], names: Sequence[str]) -> NDArray[np.float64]:
        """(K,) variance with which the motion that `names` cause at each target is foretold.

        What the other motors cause counts as known. To take the frame that is foretold worst is the
        D-optimal design, one frame at a time (Wynn 1970; Atkinson, Donev and Tobias: Optimum
        Experimental Designs, 2007, chapters 9 and 11): it goes far, and no two motors go alike.
        """
        own = np.isin(list(self.start), list(names))
        gone = self._gone(targets)[:, own]
        solved = np.linalg.solve(self.information[np.ix_(own, own)], gone.T)
        return np.asarray(np.sum(gone * solved.T, axis=1))

    def _gone(self, targets: Sequence[Positions]) -> NDArray[np.float64]:
        """(K, M) units from the start."""
        rows = [[target[name] - here for name, here in self.start.items()] for target in targets]
        return np.array(rows) / self.units
