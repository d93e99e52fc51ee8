"""The reference tracked through the sequences of one recording, each as far as it was asked for.

Searches begin from different numbers of frames, and frames of a recording that is still being made
come one by one: no frame is tracked twice.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from autourdf_ros.estimation.motion.reconstruction import ReconstructionOptions
from autourdf_ros.estimation.motion.registration.deformation_graph import build_graph
from autourdf_ros.estimation.motion.registration.graph_tracking import Tracking, track_sequence
from autourdf_ros.geometry.point_cloud import Cloud, size_of


class SequenceTracks:
    """Tracks a reference by its deformation graph, or by AutoURDF's networks.

    One thread at a time may track a sequence; several may track one each.

    Attributes:
        reference: the reference cloud.
        graph: on it.
        neighbours: distances (m) between its neighbouring points, as `neighbour_graph`.
    """

    def __init__(self, reference: Cloud, options: ReconstructionOptions) -> None:
        """Begin without any track; `options` say by what to track."""
        self.reference = reference
        self.graph, self.neighbours = build_graph(reference.points, reference.spacing)
        self._options = options
        self._known: dict[int, tuple[list[Cloud], Tracking]] = {}
        self._one_at_a_time = Lock()

    def track(
        self, sequence: int, frames: list[Cloud], report: Callable[[float], None]
    ) -> Tracking:
        """Track the reference through frames of a sequence.

        Args:
            sequence: its number.
            frames: F frames, in their order, the same ones as before as far as there were any.
            report: is called with the share done.
        """
        if self._options.registration == "neural":
            return self._by_networks(frames, report)
        seen, known = self._known.get(sequence, ([], None))
        alike = min(len(seen), len(frames))
        if any(one is not other for one, other in zip(seen[:alike], frames[:alike], strict=True)):
            seen, known = [], None
        if known is None or len(frames) > len(seen):
            size = size_of(self.reference.points)
            known = track_sequence(self.graph, self.reference, frames, size, report, known)
            self._known[sequence] = (list(frames), known)
        return known.first(len(frames))

    def count(self, sequence: int) -> int:
        """Return the number of a sequence's frames that it was tracked through."""
        return len(self._known[sequence][0]) if sequence in self._known else 0

    def _by_networks(self, frames: list[Cloud], report: Callable[[float], None]) -> Tracking:
        # Only now what takes seconds to import, and may not be installed.
        from autourdf_ros.estimation.motion.networks.network_tracking import track_by_networks

        networks = self._options.neural
        with self._one_at_a_time:  # the random numbers are those of the whole process
            return track_by_networks(self.graph, self.reference, frames, networks, report)
