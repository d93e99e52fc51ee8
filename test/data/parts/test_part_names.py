"""Names of parts are legal and unique, and stay where they can; the digest knows an assembly."""

import re
from dataclasses import replace

import numpy as np
import trimesh
from hypothesis import given
from hypothesis import strategies as st
from sample_assembly import cabinet

from autourdf_ros.data.parts.assembly_digest import assembly_digest
from autourdf_ros.data.parts.assembly_reading import read_assembly
from autourdf_ros.data.parts.part_names import MOST_LETTERS, part_names


@given(st.lists(st.text(), max_size=12))
def test_names_are_legal_and_unique(written):
    names, _ = part_names(written)
    assert len(names) == len(written) == len(set(names))
    assert all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name, re.ASCII) for name in names)
    assert all(len(name) <= MOST_LETTERS + 4 for name in names)


@given(st.lists(st.from_regex(r"[a-z][a-z0-9_]{0,20}[a-z0-9]", fullmatch=True), unique=True))
def test_legal_names_stay_without_a_note(written):
    assert part_names(written) == (written, [])


def test_equal_names_get_numbers_and_a_note():
    names, notes = part_names(["a", "a", "1 b"])
    assert names == ["a", "a_2", "_1_b"]
    assert notes == ["The part 'a' is named a_2.", "The part '1 b' is named _1_b."]


def test_what_is_written_is_read_again(tmp_path):
    for part in cabinet().parts:
        mesh = trimesh.Trimesh(part.vertices, part.triangles, process=False)
        mesh.export(tmp_path / f"{part.name.replace(' ', '_')}.ply")
    found = {part.name: part for part in read_assembly(tmp_path).parts}
    for part in cabinet().parts:
        again = found[part.name.replace(" ", "_")]
        assert np.allclose(again.bounds, part.bounds, atol=1e-6)
        assert again.triangles.shape == part.triangles.shape


def test_the_digest_knows_names_vertices_triangles_and_order():
    one = cabinet()
    assert assembly_digest(one) == assembly_digest(cabinet())
    first, *others = one.parts
    changed = [
        replace(first, name="other"),
        replace(first, vertices=first.vertices + 1e-9),
        replace(first, triangles=first.triangles[::-1]),
    ]
    digests = {assembly_digest(replace(one, parts=(other, *others))) for other in changed}
    digests |= {assembly_digest(one), assembly_digest(replace(one, parts=one.parts[::-1]))}
    assert len(digests) == 5
