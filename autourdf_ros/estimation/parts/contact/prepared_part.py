"""Parts with what every later step asks for: samples and a distance field."""

from __future__ import annotations

from dataclasses import dataclass

from autourdf_ros.data.parts.part_assembly import Part, PartAssembly
from autourdf_ros.estimation.parts.contact.contact_options import ContactOptions
from autourdf_ros.estimation.parts.contact.distance_field import DistanceField
from autourdf_ros.estimation.parts.contact.part_samples import PartSamples, sample_part
from autourdf_ros.parallel import Tally, on_all_cores
from autourdf_ros.progress import Progress, silent, staged


@dataclass(frozen=True)
class PreparedPart:
    """A part, its samples and its distance field.

    Attributes:
        index: Number in the assembly.
        part: As given.
        samples: Spread evenly over its surface.
        field: Unsigned distance to its surface.
    """

    index: int
    part: Part
    samples: PartSamples
    field: DistanceField

    @property
    def diagonal(self) -> float:
        """Length of its box's diagonal (m)."""
        return self.part.diagonal


def prepare_parts(
    assembly: PartAssembly,
    options: ContactOptions = ContactOptions(),  # noqa: B008  (frozen)
    progress: Progress = silent,
) -> tuple[PreparedPart, ...]:
    """Sample every part and build its distance field, on all cores."""
    tally = Tally(len(assembly.parts), staged(progress, "sampling the parts"))

    def prepare(index: int) -> PreparedPart:
        part = assembly.parts[index]
        samples = sample_part(part, options.samples, options.crease, options.seed)
        tally.add()
        return PreparedPart(index, part, samples, DistanceField(part))

    return tuple(on_all_cores(prepare, range(len(assembly.parts))))
