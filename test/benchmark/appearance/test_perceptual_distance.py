"""LPIPS with weights of a file."""

import numpy as np
import pytest

from autourdf_ros.errors import InputError

torch = pytest.importorskip("torch")


@pytest.fixture
def weights(tmp_path):
    from autourdf_ros.benchmark.appearance.perceptual_distance import _LAYERS, _SIZES

    draw = torch.Generator().manual_seed(0)
    tensors = {}
    for number, ((name, _, _), size) in enumerate(zip(_LAYERS, _SIZES, strict=True)):
        tensors[f"{name}.weight"] = torch.randn(size, generator=draw) / np.sqrt(np.prod(size[1:]))
        tensors[f"{name}.bias"] = torch.zeros(size[0])
        tensors[f"lin{number}.model.1.weight"] = torch.rand((1, size[0], 1, 1), generator=draw)
    torch.save(tensors, tmp_path / "weights.pt")
    return tmp_path / "weights.pt"


def test_equal_images_are_at_no_distance_and_others_farther_the_more_they_differ(weights):
    from autourdf_ros.benchmark.appearance.perceptual_distance import PerceptualDistance

    distance = PerceptualDistance(weights)
    rng = np.random.default_rng(0)
    image, noise = rng.uniform(size=(80, 80, 3)), rng.normal(size=(80, 80, 3))
    assert distance(image, image) == 0
    near, far = (distance(image, (image + size * noise).clip(0, 1)) for size in (0.02, 0.3))
    assert 0 < near < far


def test_the_weights_of_a_layer_act_on_that_layer_alone(weights):
    from autourdf_ros.benchmark.appearance.perceptual_distance import PerceptualDistance

    found = torch.load(weights)
    parts = []
    for chosen in range(5):
        own = {
            name: value
            if not name.startswith("lin") or name.startswith(f"lin{chosen}")
            else 0 * value
            for name, value in found.items()
        }
        torch.save(own, weights.with_name("one.pt"))
        parts.append(PerceptualDistance(weights.with_name("one.pt")))
    rng = np.random.default_rng(1)
    one, two = rng.uniform(size=(2, 70, 90, 3))
    whole = PerceptualDistance(weights)(one, two)
    assert sum(part(one, two) for part in parts) == pytest.approx(whole, rel=1e-5)


def test_a_file_without_a_tensor_is_refused_by_its_name(weights):
    from autourdf_ros.benchmark.appearance.perceptual_distance import PerceptualDistance

    found = torch.load(weights)
    del found["lin3.model.1.weight"]
    torch.save(found, weights)
    with pytest.raises(InputError, match=r"weights.pt: lin3.model.1.weight is missing"):
        PerceptualDistance(weights)
    weights.write_text("none")
    with pytest.raises(InputError, match="cannot be read as weights"):
        PerceptualDistance(weights)
