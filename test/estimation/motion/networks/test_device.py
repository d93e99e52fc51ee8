from importlib import util

import pytest

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.motion.networks import device


def test_without_torch_it_is_said_how_to_install_it(monkeypatch):
    monkeypatch.setattr(device, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"pip install 'autourdf_ros\[neural\]'"):
        device.check_device("cpu")


@pytest.mark.skipif(util.find_spec("torch") is None, reason="torch is not installed")
def test_a_word_that_is_no_device_is_named():
    with pytest.raises(InputError, match="device 'toaster' cannot be used"):
        device.check_device("toaster")
