"""The search for the screw of one joint: everywhere at first, then ever nearer to the best."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from autourdf_ros.estimation.appearance.screws.screw import (
    Screws,
    even_screws,
    joined_screws,
    varied,
)
from autourdf_ros.estimation.appearance.screws.screw_costs import MovedPoints
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.sampling import farthest_point_indices


@dataclass(frozen=True)
class ScrewSearchOptions:
    """How a screw is searched.

    Attributes:
        turned: Directions of revolute candidates; about 8 degrees apart.
        places: That their axes go through.
        shifted: Directions of prismatic candidates.
        images: At most, in the first comparison (resource bound).
        few: Points that are moved at first.
        many: Points that are moved in the end.
        covering: Candidates whose needed pixels are compared.
        starts: Candidates that are refined.
        rounds: Of refinement; after each, three of four candidates go on.
        variants: Of each candidate in a round.
        kept: Candidates in the end, at least.
        turn: Standard deviation of the first variants' axes (rad).
        shift: The same of their points, as a share of the robot's size.
        narrowing: Factor of both after a round.
        caps: Largest distances that count, at first and in the end (pixels).
        seed: Of all randomness.
    """

    turned: int = 600
    places: int = 200
    shifted: int = 2000
    images: int = 12
    few: int = 40
    many: int = 200
    covering: int = 3000
    starts: int = 64
    rounds: int = 14
    variants: int = 24
    kept: int = 8
    turn: float = np.radians(6)
    shift: float = 0.05
    narrowing: float = 0.72
    caps: tuple[float, float] = (30.0, 4.0)
    seed: int = 0


@dataclass(frozen=True)
class FoundScrews:
    """The best candidates, best first.

    Attributes:
        screws: K of them.
        costs: (K,) of them (pixels).
    """

    screws: Screws
    costs: Array


def search_screw(
    moved: MovedPoints,
    places: Array,
    options: ScrewSearchOptions,
    given: Screws | None = None,
) -> FoundScrews:
    """Search the screw of a joint.

    Args:
        moved: What it moves, and outlines of images.
        places: (M, 3) points of the robot at rest, near which its axis is (m).
        options: All constants.
        given: Candidates that are known before, or None.
    """
    rng = np.random.default_rng(options.seed)
    # All points are alike in every image, so one shows which are far apart.
    far = farthest_point_indices(moved.points[0], options.many)
    few, many = moved.thinned(far[: options.few]), moved.thinned(far)
    through = places[farthest_point_indices(places, options.places)]
    screws = even_screws(options.turned, through, options.shifted)
    first, last = options.caps
    costs = _fewer_images(few, options.images).costs(screws, first, covering=False)
    screws = screws[np.argsort(costs)[: options.covering]]
    if given is not None:
        screws = joined_screws(given, screws)
    screws = screws[np.argsort(few.costs(screws, first))[: options.starts]]
    size = float(np.ptp(places, axis=0).max())
    turn, shift = options.turn, options.shift * size
    for step in range(options.rounds):
        late = step / options.rounds
        cap, points = first * (last / first) ** late, few if late < 1 / 3 else many
        screws, costs = _refined(points, screws, cap, (turn, shift), options.variants, rng)
        kept = np.argsort(costs)[: max(options.kept, int(0.75 * len(costs)))]
        screws, costs = screws[kept], costs[kept]
        turn, shift = turn * options.narrowing, shift * options.narrowing
    return FoundScrews(screws, costs)


def _fewer_images(moved: MovedPoints, most: int) -> MovedPoints:
    """Return the images in which the joint is farthest from rest; pixels are not of them."""
    chosen = np.sort(np.argsort(-np.abs(moved.values))[:most])
    return replace(
        moved,
        silhouettes=moved.silhouettes.of_images(chosen),
        values=moved.values[chosen],
        points=moved.points[chosen],
    )


def _refined(
    moved: MovedPoints,
    screws: Screws,
    cap: float,
    by: tuple[float, float],
    times: int,
    rng: np.random.Generator,
) -> tuple[Screws, Array]:
    """Return the best of every candidate and of its variants, and its cost."""
    before = moved.costs(screws, cap)
    others = varied(screws, times, by, rng)
    costs = moved.costs(others, cap).reshape(-1, times)
    best = costs.argmin(axis=1)
    rows = np.arange(len(screws))
    better = costs[rows, best] < before
    chosen = others[rows * times + best]
    found = Screws(
        np.where(better[:, None], chosen.axes, screws.axes),
        np.where(better[:, None], chosen.points, screws.points),
        screws.kinds,
    )
    return found, np.where(better, costs[rows, best], before)
