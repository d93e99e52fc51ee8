"""What is installed may be installed beside Apache-2.0."""

import sys
import tomllib
from email.message import Message
from pathlib import Path
from types import SimpleNamespace

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

import licences

KNOWN = tomllib.loads(licences.LIST.read_text())


def test_every_installed_package_has_a_licence_that_is_accepted():
    found = {one.metadata["Name"]: licences.declared(one, KNOWN) for one in licences.installed()}
    assert len(found) > 100
    assert {n: text for n, text in found.items() if not licences.is_accepted(text, KNOWN)} == {}


@pytest.mark.parametrize(
    ("expression", "accepted"),
    [
        ("MIT", True),
        ("(MIT OR GPL-3.0-only) AND BSD-3-Clause", True),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("MIT AND GPL-3.0-only", False),
        ("AGPL-3.0-or-later", False),
        ("GNU General Public License v3 (GPLv3)", False),
        ("", False),
        ("see LICENSE", False),
    ],
)
def test_only_what_is_listed_is_accepted(expression, accepted):
    assert licences.is_accepted(expression, KNOWN) is accepted


@pytest.mark.parametrize(
    ("fields", "expression"),
    [
        ([("License-Expression", "MIT"), ("License", "GPL")], "MIT"),
        ([("Classifier", "License :: OSI Approved :: MIT License")], "MIT"),
        ([("License", "Apache 2.0")], "Apache-2.0"),
        ([("License", "a text\nof many lines")], ""),
        ([], ""),
    ],
)
def test_what_a_package_declares(fields, expression):
    metadata = Message()
    for name, value in [("Name", "any"), *fields]:
        metadata[name] = value
    one = SimpleNamespace(metadata=metadata, files=[])
    assert licences.declared(one, KNOWN) == expression


def test_reasons_are_given_and_none_is_left_over():
    assert all(KNOWN["accepted"].values())
    used = " ".join(licences.declared(one, KNOWN) for one in licences.installed())
    assert [name for name in KNOWN["accepted"] if name not in used] == []
