"""Track clusters of points through a sequence of clouds by the step and the anchor model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from autourdf_ros.estimation.motion.network_options import NeuralOptions
from autourdf_ros.estimation.motion.networks.chamfer_loss import ChamferLoss
from autourdf_ros.estimation.motion.networks.cluster_tracks import ClusterTracks
from autourdf_ros.estimation.motion.networks.clusters import clusters_about
from autourdf_ros.estimation.motion.networks.pose_network import PoseNetwork
from autourdf_ros.estimation.motion.networks.rotations import IDENTITY, rotation_matrices
from autourdf_ros.geometry.point_cloud import Cloud

LEAST_GAIN = 1e-4  # share of the loss that an iteration must save to count


@dataclass(frozen=True)
class _Body:
    """Points of a frame in their clusters' own frames: local (N, 3), labels (N,)."""

    local: Tensor
    labels: Tensor

    def at(self, positions: Tensor, rotations: Tensor) -> Tensor:
        """The points (N, 3) with the clusters at these poses."""
        matrices = rotation_matrices(rotations).index_select(0, self.labels)
        turned = torch.bmm(matrices, self.local[..., None])[..., 0]
        return turned + positions.index_select(0, self.labels)


@dataclass(frozen=True)
class _Poses:
    positions: Tensor
    rotations: Tensor


class ClusterTracker:
    """Both models (AutoURDF, Lin et al., CVPR 2025, section 3.2), whose weights stay over frames.

    Every cluster's frame lies in its centre, turned as the cloud's frame is. From one cloud to the
    next the step model moves the clusters of the one; then the anchor model, which moves those of
    the first cloud, corrects their poses.
    """

    def __init__(
        self,
        reference: Cloud,
        labels: NDArray[np.int64],
        centres: NDArray[np.float64],
        options: NeuralOptions,
    ) -> None:
        """Begin with the clusters in the first cloud.

        Args:
            reference: the first cloud.
            labels: (N,) cluster of its points.
            centres: (S, 3) of the clusters.
            options: the user's choices.
        """
        self._options, self._centres = options, centres
        rotation = IDENTITY[options.representation]
        generator_state = torch.random.get_rng_state()
        torch.manual_seed(options.seed)
        self._step, self._anchor = (PoseNetwork(len(rotation)).to(options.device) for _ in range(2))
        torch.random.set_rng_state(generator_state)
        self._begin = _Poses(
            self._tensor(centres), self._tensor(np.tile(rotation, (len(centres), 1)))
        )
        self._reference, self._labels = reference, labels
        self._first = self._body(reference, labels, self._begin)

    def track(self, frames: Sequence[Cloud], report: Callable[[float], None]) -> ClusterTracks:
        """Track the clusters from the first cloud through frames that come after it.

        Args:
            frames: F frames.
            report: is called with the share done.
        """
        with _one_thread():
            return self._track(frames, report)

    def _track(self, frames: Sequence[Cloud], report: Callable[[float], None]) -> ClusterTracks:
        poses, current = self._begin, self._first
        found, losses, iterations = [], [], []
        for frame in frames:
            target = self._tensor(frame.points)
            loss = ChamferLoss(target, frame.spacing)
            count = 0
            if self._options.step:
                poses, value, used = self._train(self._step, 0, current, poses, loss)
                labels = clusters_about(frame.points, _array(poses.positions))
                count += used
            if self._options.anchor:
                poses, value, used = self._train(self._anchor, 1, self._first, poses, loss)
                count += used
            if self._options.step:
                current = self._body(frame, labels, poses)
            found.append(self._motions(poses))
            losses.append(value)
            iterations.append(count)
            report(len(found) / len(frames))
        return ClusterTracks(self._centres, np.array(found), np.array(losses), np.array(iterations))

    def _train(
        self, network: PoseNetwork, rate: int, body: _Body, poses: _Poses, loss: ChamferLoss
    ) -> tuple[_Poses, float, int]:
        """The best poses that the network comes to, their loss, and the iterations it took."""
        options = self._options
        optimiser = torch.optim.Adam(network.parameters(), lr=options.rates[rate], fused=True)
        plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(
            optimiser, factor=options.decay, patience=options.plateau
        )
        best, best_loss, gained, last = poses, np.inf, np.inf, 0
        for iteration in range(options.iterations):
            positions, rotations = network(poses.positions, poses.rotations)
            error = loss(body.at(positions, rotations))
            value = float(error.detach())
            if value < best_loss:
                best, best_loss = _Poses(positions.detach(), rotations.detach()), value
            if value < (1 - LEAST_GAIN) * gained:
                gained, last = value, iteration
            if iteration - last >= options.patience:
                break
            optimiser.zero_grad(set_to_none=True)
            error.backward()
            optimiser.step()
            plateau.step(value)
        return best, best_loss, iteration + 1

    def _body(self, cloud: Cloud, labels: NDArray[np.int64], poses: _Poses) -> _Body:
        """The cloud's points in the frames that their clusters have at these poses."""
        own = self._tensor(labels, torch.int64)
        offsets = self._tensor(cloud.points) - poses.positions.index_select(0, own)
        matrices = rotation_matrices(poses.rotations).index_select(0, own)
        return _Body(torch.bmm(offsets[:, None], matrices)[:, 0], own)

    def _motions(self, poses: _Poses) -> NDArray[np.float64]:
        """Poses (S, 4, 4) that move the first cloud's points."""
        result = np.tile(np.eye(4), (len(self._centres), 1, 1))
        result[:, :3, :3] = _array(rotation_matrices(poses.rotations))
        turned = np.einsum("sij,sj->si", result[:, :3, :3], self._centres)
        result[:, :3, 3] = _array(poses.positions) - turned
        return result

    def _tensor(self, values: NDArray[np.generic], kind: torch.dtype = torch.float32) -> Tensor:
        return torch.as_tensor(
            np.ascontiguousarray(values), dtype=kind, device=self._options.device
        )


@contextmanager
def _one_thread() -> Iterator[None]:
    """In its context torch works by one thread: the matrices are small, others would only wait."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _array(values: Tensor) -> NDArray[np.float64]:
    return values.detach().double().cpu().numpy()
