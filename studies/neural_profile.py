"""Measure what an iteration of AutoURDF's networks spends its time on.

The Chamfer loss, forward and backward down to the moved points, beside the whole iteration.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from autourdf_ros.data.load import load_recording
from autourdf_ros.estimation.motion.network_options import NeuralOptions
from autourdf_ros.estimation.motion.networks import cluster_tracking
from autourdf_ros.estimation.motion.networks.chamfer_loss import ChamferLoss
from autourdf_ros.estimation.motion.networks.cluster_tracking import ClusterTracker
from autourdf_ros.estimation.motion.networks.clusters import cluster, means
from autourdf_ros.estimation.motion.registration.preparation import prepare


class TimedLoss(ChamferLoss):
    """Also runs backward by itself, and adds up what both take."""

    seconds = 0.0
    calls = 0

    def __call__(self, moved):
        points = moved.detach().requires_grad_()
        begin = time.perf_counter()
        super().__call__(points).backward()
        TimedLoss.seconds += time.perf_counter() - begin
        TimedLoss.calls += 1
        return super().__call__(moved)


def main() -> None:
    """Track a few frames once as they are, and once with the loss timed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("recording", type=Path)
    parser.add_argument("--clusters", type=int, default=80)
    parser.add_argument("--frames", type=int, default=2)
    parser.add_argument("--device", default="cpu")
    args = parser.parse_args()
    recording = load_recording(args.recording)
    prepared = prepare(recording, 5000, report=lambda share: None)
    reference = prepared.reference
    labels = cluster(reference.points, args.clusters, 0)
    centres = means(reference.points, labels, int(labels.max()) + 1)
    options = NeuralOptions(device=args.device)
    frames = prepared.sequences[0][1 : 1 + args.frames]

    def track() -> tuple[float, int, np.ndarray]:
        tracker = ClusterTracker(reference, labels, centres, options)
        begin = time.perf_counter()
        tracks = tracker.track(frames, lambda share: None)
        return time.perf_counter() - begin, int(tracks.iterations.sum()), tracks.losses

    track()  # compiles
    seconds, iterations, losses = track()
    cluster_tracking.ChamferLoss = TimedLoss
    track()
    whole, loss = 1e3 * seconds / iterations, 1e3 * TimedLoss.seconds / TimedLoss.calls
    print(f"{len(reference.points)} points, {len(centres)} clusters, {iterations} iterations:")
    print(
        f"an iteration {whole:.2f} ms, its Chamfer loss {loss:.2f} ms: {100 * loss / whole:.0f} %"
    )
    print(f"CD (mm): {np.round(1e3 * prepared.scale * losses, 2).tolist()}")


if __name__ == "__main__":
    main()
