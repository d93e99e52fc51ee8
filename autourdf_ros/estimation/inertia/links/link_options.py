"""Constants and choices of the identification of a robot's own links."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from autourdf_ros.estimation.inertia.links.motion_filter import FilterOptions

Solver = Literal["log-cholesky", "lmi"]


@dataclass(frozen=True)
class PriorOptions:
    """How far a link may be from a solid of its shape and one density.

    Attributes:
        level_std: Logarithm of the density that all links share: a factor of two.
        mass_std: Logarithm of a link's own density, over the shared one: a factor of two, as from
            plastic shells to castings full of motors.
        shape_std: Half the logarithm of a second moment over the mass: a shell's are 5/3 of a
            solid's, a body with its mass in one end has a few times as much or as little.
        shift: Of the centre of mass, in radii of gyration: it may lie anywhere in the body.
        freedom: Degrees of freedom of the links' distribution: few, since a shape may be wrong
            altogether. The data then free the link from its shape.
        resistance: Largest friction and armature, as shares of the joint's effort which each could
            explain alone: a physical limit.
    """

    level_std: float = 0.7
    mass_std: float = 0.7
    shape_std: float = 0.5
    shift: float = 0.7
    freedom: float = 4.0
    resistance: float = 1.0


@dataclass(frozen=True)
class LinkOptions:
    """Choices of the identification.

    Attributes:
        solver: Log-Cholesky form and Gauss-Newton, or linear matrix inequalities by Clarabel.
        filter: Of the positions.
        prior: Of links and friction.
        iterations: Of the noise's reweighting, at most: a resource bound.
        steps: Of Gauss-Newton, at most: a resource bound.
        settled: Change of the cost, in units of a log-likelihood, below which it has converged.
        noise_settled: Share of a joint's noise by which it changes once it has converged: less than
            its own standard error in a thousand records.
        most_values: Numbers of the regressor, at most: a resource bound of 200 MB.
        most_records: Blocks of records that the normal equations hold: a resource bound.
        determined: Ratio of posterior to prior standard deviation below which data determined a
            parameter: they hold nine times as much information as the prior.
        from_prior: The ratio above which the prior did.
        enough: Standard deviation of a joint's efforts all over its range, over their rms, up to
            which the verdict is trusted: a controller's share of effort by feedback.
        explained: Share of a joint's effort that the links must explain: half, as chance does not.
        predicted: Error of predicted efforts that were held out, over the noise, up to which the
            model explains the robot: the bound of identification studies.
        possible: Mean density of a robot's links (kg/m³): between foam and gold.
        plausible: The same, of robots that were built: between printed shells and solid steel.
        late: Standard deviations by which efforts must be late or early to be so.
        held_out: Share of the records, at their end, by which the prediction is judged.
    """

    solver: Solver = "log-cholesky"
    filter: FilterOptions = field(default_factory=FilterOptions)
    prior: PriorOptions = field(default_factory=PriorOptions)
    iterations: int = 12
    steps: int = 60
    settled: float = 1e-3
    noise_settled: float = 5e-3
    most_values: int = 25_000_000
    most_records: int = 6000
    determined: float = 1 / 3
    from_prior: float = 0.9
    enough: float = 0.2
    explained: float = 0.5
    predicted: float = 1.3
    possible: tuple[float, float] = (20.0, 20_000.0)
    plausible: tuple[float, float] = (150.0, 8000.0)
    late: float = 5.0
    held_out: float = 0.2
