"""The protocol of part models, which make part meshes from images or a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from autourdf_ros.data.encoded_image import EncodedImage
from autourdf_ros.errors import InputError
from autourdf_ros.progress import Progress

MeshFormat = Literal["glb", "ply", "stl"]

FORMATS: tuple[MeshFormat, ...] = ("glb", "ply", "stl")
"""Formats of an answered mesh: those that name no further files."""

MOST_IMAGES = 16
"""Of a request: a bound of memory."""

MOST_LETTERS = 10_000
"""Of a request's text: a bound of memory."""


@dataclass(frozen=True)
class PartRequest:
    """What parts are to be made of.

    Attributes:
        text: A description; empty without one.
        images: Of the object.

    Raises:
        InputError: There is neither, or there is too much.
    """

    text: str = ""
    images: tuple[EncodedImage, ...] = ()

    def __post_init__(self) -> None:
        if not self.text.strip() and not self.images:
            raise InputError("part model: there is no image and no text; accepted is either")
        if len(self.images) > MOST_IMAGES:
            raise InputError(
                f"part model: {len(self.images)} images; accepted are up to {MOST_IMAGES}"
            )
        if len(self.text) > MOST_LETTERS:
            raise InputError(
                f"part model: the text has {len(self.text)} letters; accepted are up to "
                f"{MOST_LETTERS}"
            )


@dataclass(frozen=True)
class PartMesh:
    """A part as a model answers it.

    Attributes:
        name: Of the part; becomes the name of its link.
        format: Of the mesh file: GLB has y up and metres, PLY and STL have z up.
        content: Of the mesh file, all parts in one frame.
    """

    name: str
    format: MeshFormat
    content: bytes


@runtime_checkable
class PartModel(Protocol):
    """Makes part meshes from images or a text."""

    def part_meshes(self, request: PartRequest, progress: Progress) -> Sequence[PartMesh]:
        """Return the parts of the object that the request shows or describes.

        Args:
            request: Images or a text.
            progress: Is called with stage and fraction, and may raise to cancel.
        """
