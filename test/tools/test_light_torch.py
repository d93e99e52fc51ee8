"""Whether PyTorch is installed for the tests, without installing it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import light_torch

PYTHON = Path("/venv/bin/python")


def answering(monkeypatch, *names, code=0):
    """Let pip plan to install these packages."""
    report = json.dumps({"install": [{"metadata": {"name": name}} for name in names]})

    def run(command, **_):
        assert command[0] == str(PYTHON) and "--dry-run" in command
        return subprocess.CompletedProcess(command, code, report if code == 0 else "", "")

    monkeypatch.setattr(light_torch.subprocess, "run", run)


@pytest.mark.parametrize("names", [("torch", "sympy"), ()])
def test_a_light_build_is_installed(monkeypatch, capsys, names):
    answering(monkeypatch, *names)
    ran = []
    light_torch.offer_torch(PYTHON, ran.append)
    assert [command[-1] for command in ran] == ["torch==2.13.0"] and "--dry-run" not in ran[0]
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("names", "code"), [(("torch", "nvidia-cublas-cu12"), 0), (("torch", "triton"), 0), ((), 1)]
)
def test_one_with_cuda_or_none_is_left_out(monkeypatch, capsys, names, code):
    answering(monkeypatch, *names, code=code)
    ran = []
    light_torch.offer_torch(PYTHON, ran.append)
    assert ran == [] and "AutoURDF's networks are not tested" in capsys.readouterr().out


def test_a_failing_installation_is_reported(monkeypatch, capsys):
    def fail(command):
        raise subprocess.CalledProcessError(1, command)

    answering(monkeypatch, "torch")
    light_torch.offer_torch(PYTHON, fail)
    assert "are not tested" in capsys.readouterr().out
