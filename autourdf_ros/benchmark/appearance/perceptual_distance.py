"""LPIPS: a distance of images by a network (Zhang et al., CVPR 2018, version 0.1, AlexNet).

Its weights are not part of this project: the user names a file of them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import conv2d, max_pool2d, relu

from autourdf_ros.errors import InputError

_LAYERS = (("features.0", 4, 2), ("features.3", 1, 2), ("features.6", 1, 1), ("features.8", 1, 1),
           ("features.10", 1, 1))  # fmt: skip
"""Names of AlexNet's convolutions as in torchvision, their strides and paddings."""
_POOLED = (1, 2)  # layers before which the 3 x 3 maximum of every second pixel is taken
_SHIFT, _SCALE = (-0.030, -0.088, -0.188), (0.458, 0.448, 0.450)
_SIZES = ((64, 3, 11, 11), (192, 64, 5, 5), (384, 192, 3, 3), (256, 384, 3, 3), (256, 256, 3, 3))
_ACCEPTED = (
    "accepted is a file of torch.save with the tensors features.{0,3,6,8,10}.{weight,bias} of "
    "torchvision's AlexNet and lin{0..4}.model.1.weight of LPIPS 0.1"
)


class PerceptualDistance:
    """LPIPS with weights of a file."""

    def __init__(self, weights: Path) -> None:
        """Read the weights.

        Raises:
            InputError: The file cannot be read, or lacks a tensor, or one has another shape.
        """
        try:
            found = torch.load(weights, map_location="cpu", weights_only=True)
        except Exception as error:
            raise InputError(
                f"{weights}: cannot be read as weights ({error}); {_ACCEPTED}"
            ) from error
        wanted: dict[str, tuple[int, ...]] = {}
        for number, ((name, _, _), size) in enumerate(zip(_LAYERS, _SIZES, strict=True)):
            wanted[f"{name}.weight"], wanted[f"{name}.bias"] = size, size[:1]
            wanted[f"lin{number}.model.1.weight"] = (1, size[0], 1, 1)
        for name, shape in wanted.items():
            if name not in found or tuple(found[name].shape) != shape:
                what = tuple(found[name].shape) if name in found else "missing"
                raise InputError(f"{weights}: {name} is {what}, not {shape}; {_ACCEPTED}")
        self._weights: dict[str, Tensor] = {name: found[name].float() for name in wanted}

    @torch.no_grad()
    def __call__(self, one: NDArray[np.floating], two: NDArray[np.floating]) -> float:
        """Return the distance of two images (H, W, 3) in [0, 1]: 0 where they are equal."""
        total = 0.0
        features = zip(self._features(one), self._features(two), strict=True)
        for number, (first, second) in enumerate(features):
            weight = self._weights[f"lin{number}.model.1.weight"]
            total += float(conv2d((first - second) ** 2, weight).mean())
        return total

    def _features(self, image: NDArray[np.floating]) -> list[Tensor]:
        """Return the features (1, C, h, w) of every layer, each pixel's of length 1."""
        pixels = torch.tensor(2 * np.asarray(image) - 1, dtype=torch.float32).permute(2, 0, 1)[None]
        shift, scale = (torch.tensor(values)[None, :, None, None] for values in (_SHIFT, _SCALE))
        layer, found = (pixels - shift) / scale, []
        for number, (name, stride, padding) in enumerate(_LAYERS):
            if number in _POOLED:
                layer = max_pool2d(layer, 3, 2)
            weight, bias = self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]
            layer = relu(conv2d(layer, weight, bias, stride, padding))
            found.append(layer / (layer.norm(dim=1, keepdim=True) + 1e-10))
        return found
