"""Choices about the joint between two parts."""

from __future__ import annotations

from dataclasses import dataclass, field

from autourdf_ros.estimation.parts.contact.contact_options import ContactOptions
from autourdf_ros.estimation.parts.symmetry.stated_probability import Calibration
from autourdf_ros.estimation.parts.symmetry.weights.candidate_weights import CandidateWeights


@dataclass(frozen=True)
class SymmetryOptions:
    """Choices about the joint between two parts.

    Attributes:
        alternatives: How many candidates are kept at most (resource bound).
        contact: About samples and contacts.
        modes: Modes of normals that become directions (resource bound).
        mode_samples: Normals among which modes are sought (resource bound).
        mode_angle: Degrees that normals of one mode are apart: of a coarse mesh's facets.
        distinct_angle: Degrees below which two directions are one.
        distinct_offset: Radii of the contact below which two parallel axes are one.
        least_sine: Of two lines that are not parallel.
        centre_trials: Pairs of normals whose crossing is tried as a centre (resource bound).
        centre_noise: Distance of a normal line from the centre it meets, in radii of the contact.
        centre_reach: Distance of a centre from the middle of the contact at most, in its radii.
        centres: Centres kept for a direction (resource bound).
        centre_steps: Of the reweighted least squares for a centre (resource bound).
        similar: Ratio of two diagonals above which either part may be the one that is hinged at an
            edge of its own.
        slip_start: Scale of the first weights of the slippage, in motions of the contact.
        slip_local: The same, where an axis is refined that is known roughly.
        slip_noise: Scale of the last weights: of coarse meshes' normals (rad).
        slip_steps: Of the reweighting (resource bound).
        slip_seen: Sine between motion and surface at which a point slips no more.
        ranked: Candidates whose symmetry is measured by turning the parts (resource bound).
        turned: Samples of each part that are turned (resource bound).
        turns: Angles (degrees) by which parts are turned, both ways.
        slides: Distances by which parts are slid, both ways, in radii of the contact.
        reach: Distance from the other part over which samples count, in diagonals of the smaller.
        alike: Distance at which a turned sample is off its surface, in diagonals of the smaller.
        free_turns: Angles (degrees) by which a whole part turns, each way, to see what it hits.
        free_slides: Distances by which it slides, in its diagonals.
        small_turns: Angles (degrees) by which a part turns, each way, to see what stops it.
        pushes: Distances by which a part is pushed to see what stops it, in diagonals of the
            smaller: beyond the play of a joint.
        pushed: Points of the contact that are pushed, of each part (resource bound).
        entered: Share of the push by which a point enters the other part if that stops it.
        stopping: Share of the contact's points that stop a motion for sure.
        weights: By which candidates are compared.
        sure: Calibrated probability of the first candidate below which a joint is ambiguous: 36 %
            of the joints of procedural objects are, if the weights have not seen these.
        unseen: Probability of a joint that is proposed for a congruent edge and not for this one.
        same_contact: Mean distance between the contacts of congruent edges, one mapped onto the
            other, in radii of the contact.
        same_angle: Degrees below which the axes of candidates, or of congruent edges, are the same.
        same_offset: Distance below which those of congruent edges are, in diagonals of the child,
            and by which an axis is refined at most, in diagonals of the smaller part.
        one_place: Distance below which two candidates are one, in sizes of the assembly: less than
            what a user of the result sees.
        one_offset: The same, in diagonals of the smaller part; the lesser of both counts.
        calibration: Of the first candidate's probability.
        seed: Of all random choices.
    """

    alternatives: int = 6
    contact: ContactOptions = field(default_factory=ContactOptions)
    modes: int = 5
    mode_samples: int = 500
    mode_angle: float = 5.0
    distinct_angle: float = 1.5
    distinct_offset: float = 0.03
    least_sine: float = 0.15
    centre_trials: int = 250
    centre_noise: float = 0.02
    centre_reach: float = 4.0
    centres: int = 2
    centre_steps: int = 5
    similar: float = 0.8
    slip_start: float = 0.3
    slip_local: float = 0.05
    slip_noise: float = 0.01
    slip_steps: int = 12
    slip_seen: float = 0.06
    ranked: int = 24
    turned: int = 75
    turns: tuple[float, ...] = (20.0, 45.0, 90.0)
    slides: tuple[float, ...] = (0.1, 0.3)
    reach: float = 0.1
    alike: float = 0.015
    free_turns: tuple[float, ...] = (10.0, 30.0, 60.0)
    free_slides: tuple[float, ...] = (0.05, 0.2, 0.5)
    small_turns: tuple[float, ...] = (4.0, 12.0)
    pushes: tuple[float, ...] = (0.02, 0.05)
    pushed: int = 160
    entered: float = 0.4
    stopping: float = 0.05
    weights: CandidateWeights = field(default_factory=CandidateWeights)
    sure: float = 0.65
    unseen: float = 0.02
    same_contact: float = 0.15
    same_angle: float = 3.0
    same_offset: float = 0.02
    one_place: float = 0.015
    one_offset: float = 0.06
    calibration: Calibration = field(default_factory=Calibration)
    seed: int = 0

    def same_place(self, size: float, diagonal: float) -> float:
        """Return the distance (m) below which two candidates of one direction are one.

        Args:
            size: Of the assembly (m).
            diagonal: Of the smaller part (m).
        """
        return min(self.one_place * size, self.one_offset * diagonal)
