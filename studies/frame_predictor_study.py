"""Forecast of depth images by a network alone, beside that of an identified mechanism.

`python studies/frame_predictor_study.py ROWS.jsonl [--scenes cart_pole] [--seeds 3]
[--seconds 300]` trains a small PhyDNet (`networks/physics_cells.py`; needs PyTorch, `pip install
autourdf_ros[neural]`) as Heiden et al. train theirs (section V-B): 175 sequences of 20 images from
the first 195 of a video. It then sees 10 images of another motion of the same mechanism and
predicts 150, which are compared with the true ones as in `autourdf benchmark --suite mechanisms`,
whose forecasts are of the same motions.

The network gets what it can use best: images without noise, of 80 x 60 pixels, scaled from near to
far as those it is compared with. `--seconds` are of the processor. ROWS keeps every row, so that a
run that was cut off goes on.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from networks.physics_cells import FramePredictor
from numpy.typing import NDArray
from torch.nn import functional

from autourdf_ros.assessment.metrics.mechanisms.image_error import forecast_errors, scaled_depth
from autourdf_ros.benchmark.mechanisms.measure_mechanism import SWINGING
from autourdf_ros.benchmark.mechanisms.unseen_forecast import AHEAD, KNOWN, OTHER
from autourdf_ros.benchmark.row_file import RowFile
from autourdf_ros.data.video.derived.static_background import static_background
from autourdf_ros.simulation.mechanisms.mechanism_library import mechanism_scene
from autourdf_ros.simulation.mechanisms.mechanism_recording import VideoOptions, record
from autourdf_ros.simulation.mechanisms.mechanism_scene import MechanismScene
from autourdf_ros.workflows.mechanisms.predicted_frames import DepthPainter

Images = NDArray[np.float64]

TRAINED = 195
"""Images of the first video that are trained with."""
LENGTH = 20
"""Images of a sequence."""
SMALL = (60, 80)
"""Height and width of the network's images."""


@dataclass(frozen=True)
class TrainingOptions:
    """How the network is trained.

    Attributes:
        batch: Sequences of a step.
        rate: Of Adam.
        forced: Share of the time in which teacher forcing fades out.
    """

    batch: int = 8
    rate: float = 1e-3
    forced: float = 0.3


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--scenes", nargs="+", choices=SWINGING, default=SWINGING[:1])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=300.0, help="of training")
    args = parser.parse_args()
    file = RowFile(args.rows)
    for scene in args.scenes:
        rows = []
        for seed in range(args.seeds):
            key = {"scene": scene, "seed": seed, "seconds": args.seconds}
            row = file.row(key)
            if row is None:
                row = measured(scene, seed, args.seconds)
                file.append(key, row)
                print(key, row, flush=True)
            rows.append(row)
        print(f"{scene}, medians of {len(rows)} runs:")
        for name in rows[0]:
            print(f"  {name}: {np.median([row[name] for row in rows]):.5g}")


def measured(name: str, seed: int, seconds: float) -> dict[str, Any]:
    """Return the row of one scene and seed."""
    scene = mechanism_scene(name).sample(seed)
    other = scene.sample(seed + OTHER)
    unseen = replace(scene, start=other.start, speeds=other.speeds)
    background = _background(scene, seed)
    known = true_images(scene, seed, TRAINED, background)
    ahead = true_images(unseen, seed + OTHER, KNOWN + AHEAD, background)
    near, far = float(np.nanmin(ahead)), float(np.nanmax(ahead))
    truth = scaled_depth(ahead, near, far)
    torch.manual_seed(seed)
    network, steps = trained(small(scaled_depth(known, near, far)), seconds)
    begin = time.process_time()
    with torch.no_grad():
        made = network(small(truth[:KNOWN])[None], KNOWN, AHEAD)[0, KNOWN - 1 :]
    large = functional.interpolate(made, truth.shape[1:], mode="bilinear", align_corners=False)
    errors = forecast_errors(large[:, 0].double().cpu().numpy(), truth[KNOWN:], truth[KNOWN - 1])
    return {**asdict(errors), "steps": steps, "forecast_seconds": time.process_time() - begin}


def _background(scene: MechanismScene, seed: int) -> NDArray[np.float32] | None:
    """That of the first video of the suite, which the suite's forecasts have, too."""
    video, _ = record(scene, seed, VideoOptions(with_masks=False))
    return static_background(video)


def true_images(
    scene: MechanismScene, seed: int, frames: int, background: NDArray[np.float32] | None
) -> NDArray[np.float32]:
    """Return depth images (frames, H, W) without noise, NaN where nothing is."""
    options = VideoOptions(frames=frames, with_masks=False)
    video, truth = record(scene, seed, options)
    own = [number for number, body in enumerate(scene.bodies) if not body.is_driver]
    painter = DepthPainter(video.camera, [scene.bodies[n].mesh for n in own], background)
    return np.stack([painter.depth(poses) for poses in np.swapaxes(truth.poses[own], 0, 1)])


def small(images: Images) -> torch.Tensor:
    """Return images (T, H, W) as those of the network (T, 1, h, w)."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    given = torch.as_tensor(images, dtype=torch.float32, device=device)[:, None]
    return functional.interpolate(given, SMALL, mode="area")


def trained(
    images: torch.Tensor,
    seconds: float,
    options: TrainingOptions = TrainingOptions(),
) -> tuple[FramePredictor, int]:
    """Return a network that is trained with one motion (T, 1, h, w), and the number of steps."""
    network = FramePredictor().to(images.device)
    optimizer = torch.optim.Adam(network.parameters(), options.rate)
    begin, steps, done = time.process_time(), 0, 0.0
    while done < 1:
        starts = torch.randint(len(images) - LENGTH + 1, (options.batch,))
        given = torch.stack([images[start : start + LENGTH] for start in starts.tolist()])
        forced = max(0.0, 1 - done / options.forced)
        made = network(given, KNOWN, LENGTH - KNOWN, forced)
        loss = functional.mse_loss(made, given[:, 1:]) + network.physics.moment_loss()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        steps, done = steps + 1, (time.process_time() - begin) / seconds
    return network, steps


if __name__ == "__main__":
    main()
