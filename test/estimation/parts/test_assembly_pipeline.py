"""From parts to a model: what is right is trusted to the reader, what is not is named."""

import numpy as np
import pytest
import trimesh
from simple_parts import box, chain, cylinder, link, part

from autourdf_ros.data.parts.part_assembly import Part, PartAssembly
from autourdf_ros.errors import CancelledError, InputError
from autourdf_ros.estimation.parts.assembly_options import AssemblyOptions
from autourdf_ros.estimation.parts.pipeline import assemble

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def arm():
    return assemble(chain(2))


def moved(source, name, offset):
    return Part(name, source.vertices + offset, source.triangles)


def warnings(*parts, **options):
    return assemble(PartAssembly("bad", parts), options=AssemblyOptions(**options)).trace


def test_a_chain_of_links_on_pins_hangs_on_its_foot(arm):
    names = {joint.child: joint.parent for joint in arm.model.tree.joints}
    assert arm.model.tree.root == "base"
    assert names == {"link_0": "base", "link_1": "link_0"}


def test_links_turn_about_their_pins(arm):
    for joint, x in zip(arm.model.tree.joints, (0.0, 0.3), strict=True):
        assert joint.type in ("revolute", "continuous")
        assert abs(joint.axis[2]) > 0.999
        assert joint.point[:2] == pytest.approx([x, 0.0], abs=0.002)


def test_the_given_pose_is_at_zero_and_within_the_limits(arm):
    for joint in arm.model.tree.joints:
        assert joint.reference == 0.0
        assert joint.lower <= 0.0 <= joint.upper


def test_every_part_gives_its_link_points_and_outward_normals(arm):
    for own in arm.model.links:
        assert np.linalg.norm(own.surface.normals, axis=1) == pytest.approx(1.0, abs=1e-6)
    base = arm.model.links[0].surface
    assert np.mean(((base.points - base.points.mean(axis=0)) * base.normals).sum(axis=1) > 0) > 0.9


def test_layers_say_where_they_come_from(arm):
    assert arm.model.kinematics.provenance.method == "parts/symmetry"
    assert arm.model.kinematics.verdict.trust == arm.trace.verdict
    assert len(arm.model.kinematics.provenance.data_digest) == 64


def test_the_same_parts_give_the_same_model(arm):
    assert assemble(chain(2)).model.digests == arm.model.digests


def test_the_user_may_name_the_base():
    found = assemble(chain(2), options=AssemblyOptions(root="link_1"))
    assert found.model.tree.root == "link_1"
    assert found.trace.tree.root == 2


def test_a_base_that_is_no_part_is_refused_by_name():
    with pytest.raises(InputError, match="'gone' is no part; accepted are base, link_0"):
        assemble(chain(2), options=AssemblyOptions(root="gone"))


def test_illegal_names_become_legal_links():
    source = chain(2).parts
    parts = [
        moved(one, name, 0.0) for one, name in zip(source, ("0 base", "a-b", "a b"), strict=True)
    ]
    found = assemble(PartAssembly("my robot", tuple(parts)))
    assert set(found.model.tree.links) == {"_0_base", "a_b", "a_b_2"}


def test_progress_never_goes_back_and_cancels():
    seen = []

    def stop(stage, fraction):
        seen.append(fraction)
        if fraction > 0.5:
            raise CancelledError("stop")

    with pytest.raises(CancelledError):
        assemble(chain(2), progress=stop)
    assert seen == sorted(seen)


def test_parts_far_apart_are_named_and_joined_by_a_guess_only():
    near, far = part("near", box((0.1,) * 3, (0, 0, 0))), part("far", box((0.1,) * 3, (3, 0, 0)))
    found = assemble(PartAssembly("bad", (near, far)))
    assert "parts near and far are 2.9 m apart" in found.warnings[0]
    assert found.trace.verdict == "failed"
    assert found.model.tree.joints[0].type == "fixed"


def test_duplicates_on_top_of_each_other_are_named():
    base, first, second = chain(2).parts
    trace = warnings(base, first, second, moved(second, "copy", 0.0))
    assert any("link_1 and copy are the same surface" in text for text in trace.warnings)
    assert trace.verdict != "trusted"


def test_nested_shells_are_named():
    outer = part("outer", trimesh.creation.icosphere(3, 0.2))
    inner = part("inner", trimesh.creation.icosphere(3, 0.15))
    trace = warnings(outer, inner)
    assert any("inner is inside of part outer" in text for text in trace.warnings)
    assert trace.verdict != "trusted"


def test_a_closed_chain_is_named():
    corners = [(0, 0), (0.3, 0), (0.3, 0.3), (0, 0.3)]
    bars = []
    for i, height in enumerate((0.0, 0.021, 0.0, 0.021)):
        start, end = corners[i], corners[(i + 1) % 4]
        bars.append(link(f"bar_{i}", start, end, pin_up=height == 0.0, height=height))
    trace = warnings(*bars)
    assert any("are a closed chain" in text for text in trace.warnings)
    assert trace.verdict == "doubtful"


def test_parts_that_were_set_aside_are_noted():
    from autourdf_ros.data.parts.part_assembly import SetAside

    source = chain(1)
    found = assemble(PartAssembly("few", source.parts, (SetAside("label", "is empty"),)))
    assert "part label is not used: is empty" in found.trace.notes


def test_a_pin_and_a_hole_far_smaller_than_the_rest_stay_one_tree():
    """Two parts only: a plate with a pin, however thin, and a bar."""
    found = assemble(
        PartAssembly("two", (chain(1).parts[0], part("rod", cylinder(0.01, 0.4, (0, 0, 0.25)))))
    )
    assert len(found.model.tree.joints) == 1
