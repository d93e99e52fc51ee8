"""Points that no motion separates from those of the link between go to it."""

import numpy as np
import pytest

from autourdf_ros.estimation.motion.result.round_surfaces import with_round_surfaces_between
from autourdf_ros.model.layers.shape import Surface
from autourdf_ros.model.self_model import Joint, Link, SelfModel

SPACING = 0.003
RANGES = np.array([[-1.0, 1.0], [-1.0, 1.0]])
NOISE = 0.0005
Z, X = np.array([0.0, 0, 1]), np.array([1.0, 0, 0])


def tube(radius, low, high, axis, centre):
    """Points and normals of a cylinder's mantle about an axis (x or z)."""
    heights = np.arange(low, high, SPACING)
    angles = np.arange(0, 2 * np.pi, SPACING / radius)
    h, a = (grid.ravel() for grid in np.meshgrid(heights, angles))
    round_, zero = np.column_stack([np.cos(a), np.sin(a)]), np.zeros(len(a))
    if axis is Z:
        normals = np.column_stack([round_, zero])
        return np.column_stack([radius * round_, h]) + centre, normals
    normals = np.column_stack([zero, round_])
    return np.column_stack([h, radius * round_]) + centre, normals


def plate(size, centre):
    """A square face, looking along y: what no joint here leaves where it is."""
    steps = np.arange(-size / 2, size / 2, SPACING)
    one, two = (grid.ravel() for grid in np.meshgrid(steps, steps))
    points = np.column_stack([one, np.zeros(len(one)), two]) + centre
    return points, np.tile([0.0, 1, 0], (len(points), 1))


def link(name, *patches, colors=False):
    points, normals = (np.concatenate(rows) for rows in zip(*patches, strict=True))
    colors = np.full((len(points), 3), 7, np.uint8) if colors else None
    return Link(name, Surface(points, normals, colors))


def joint(name, parent, child, axis, point):
    return Joint(name, "revolute", parent, child, axis, np.array(point, float), -1.1, 1.1)


def arm(overlap, gap=0.0):
    """Base, shoulder and upper arm, which hold `overlap` (m) of the shoulder's two tubes each.

    The tube about z is 6 cm wide and that about x, across its top, too; the rest of either link is
    a plate far out. gap: m between what base and upper arm hold.
    """
    seam, edge = 0.05 + overlap, -0.06 + overlap - gap
    base = link(
        "base",
        tube(0.03, 0.0, seam, Z, 0.0),
        plate(0.2, [0, 0.2, -0.1]),
        plate(0.2, [0.2, -0.2, 0]),
    )
    shoulder = link(
        "shoulder", tube(0.03, seam, 0.1, Z, 0.0), tube(0.03, -0.09, edge - 0.06, X, [0, 0, 0.1])
    )
    upper = link(
        "upper",
        tube(0.03, edge - 0.06, 0.0, X, [0, 0, 0.1]),
        plate(0.2, [-0.2, 0.1, 0.4]),
        plate(0.2, [-0.2, -0.1, 0.4]),
    )
    joints = (
        joint("pan", "base", "shoulder", Z, [0, 0, 0]),
        joint("lift", "shoulder", "upper", X, [0, 0, 0.1]),
    )
    return SelfModel.of("arm", (base, shoulder, upper), joints)


def counts(model):
    return np.array([len(link.surface.points) for link in model.links])


def nearest(model):
    from scipy.spatial import cKDTree

    base, _, upper = (link.surface.points for link in model.links)
    return cKDTree(base).query(upper)[0].min()


@pytest.mark.slow
def test_round_surfaces_beside_each_other_go_to_the_link_between():
    model = arm(overlap=0.03)
    assert nearest(model) < 2 * SPACING
    settled = with_round_surfaces_between(model, RANGES, NOISE)
    assert counts(settled).sum() == counts(model).sum()
    assert nearest(settled) > 3 * SPACING
    lost = counts(model) - counts(settled)
    assert lost[0] > 0 and lost[2] > 0 and lost[1] == -lost[0] - lost[2]
    top = settled.links[0].surface.points
    around = np.degrees(np.arctan2(top[:, 1], top[:, 0]))[(np.hypot(*top[:, :2].T) < 0.031)]
    assert np.ptp(np.histogram(around, 12, (-180, 180))[0]) < 0.3 * len(around) / 12  # whole rings


def test_only_round_points_are_given_away():
    """The plates of either link, put beside the other's tube, stay."""
    model = arm(overlap=0.03)
    edge = link("upper", plate(0.03, [0.0, 0.03, 0.06]), plate(0.3, [-0.2, 0.1, 0.4]))
    base, shoulder, _ = model.links
    settled = with_round_surfaces_between(
        SelfModel.of("arm", (base, shoulder, edge), model.joints), RANGES, NOISE
    )
    assert counts(settled)[2] == len(edge.surface.points)


def test_a_flat_face_far_from_the_axis_is_not_round():
    """Turned by little it slides along itself; its way round would lie beside anything."""
    _, shoulder, _ = arm(overlap=0.0).links
    face, normals = plate(0.08, [0.42, 0.0, 0.0])
    tilted = face[:, [0, 2, 1]] + (0, 0, 0.13), normals[:, [0, 2, 1]]
    base = link("base", tilted, plate(0.3, [0, -0.2, 0]))
    upper = link("upper", tube(0.03, 0.38, 0.5, X, [0, 0, 0.1]), plate(0.4, [-0.2, 0.1, 0.4]))
    model = SelfModel.of("arm", (base, shoulder, upper), arm(overlap=0.0).joints)
    little = np.array([[0.0, 0.3], [-1.0, 1.0]])  # the reference is at an end
    assert counts(with_round_surfaces_between(model, little, NOISE))[0] == counts(model)[0]


def test_surfaces_far_from_each_other_stay():
    links = list(arm(overlap=0.0).links)
    far = links[2].surface
    links[2] = Link("upper", Surface(far.points - (0.1, 0, 0), far.normals))
    model = SelfModel.of("arm", tuple(links), arm(overlap=0.0).joints)
    assert (counts(with_round_surfaces_between(model, RANGES, NOISE)) == counts(model)).all()


def test_a_joint_that_was_not_seen_to_move_shows_nothing():
    model = arm(overlap=0.03)
    still = np.array([[-1.0, 1.0], [np.nan, np.nan]])
    assert (counts(with_round_surfaces_between(model, still, NOISE)) == counts(model)).all()


def test_a_joint_that_hardly_moved_shows_nothing():
    model = arm(overlap=0.03)
    little = np.array([[-0.02, 0.02], [-0.02, 0.02]])
    assert (counts(with_round_surfaces_between(model, little, NOISE)) == counts(model)).all()


def test_a_link_that_is_round_all_over_keeps_a_quarter():
    """What lies beside the other link's is given; the rest stays a link."""
    model = arm(overlap=0.03)
    base, shoulder = model.links[:2]
    tube_only = link("upper", tube(0.03, -0.03, 0.09, X, [0, 0, 0.1]))
    model = SelfModel.of("arm", (base, shoulder, tube_only), model.joints)
    kept = with_round_surfaces_between(model, RANGES, NOISE).links[2].surface.points
    whole = tube_only.surface.points
    assert len(kept) == -(-len(whole) // 4)
    assert kept[:, 0].min() > np.quantile(whole[:, 0], 0.75) - SPACING


def test_where_more_is_round_than_a_link_may_give_the_most_is_given():
    """In a demo's model 50.5 % of the base were round, with 50 % accepted, and none were given.

    So the shoulder's housing stood on the base, in the way of the upper arm.
    """
    base, shoulder, upper = arm(overlap=0.03).links

    points, normals = base.surface.points, base.surface.normals
    of_tube = np.linalg.norm(points[:, :2], axis=1) < 0.04
    top_first = np.lexsort([-points[:, 2], ~of_tube])

    def given(count):
        chosen = top_first[:count]
        own = Surface(points[chosen], normals[chosen])
        model = SelfModel.of("arm", (Link("base", own), shoulder, upper), arm(overlap=0.03).joints)
        return count - len(
            with_round_surfaces_between(model, RANGES, NOISE).links[0].surface.points
        )

    near = given(len(points))
    assert given(4 * near // 3 + 20) == near
    assert given(4 * near // 3 - 20) == near - 15


@pytest.mark.slow
@pytest.mark.parametrize("coloured", [True, False])
def test_points_keep_their_colours(coloured):
    model = arm(overlap=0.03)
    links = tuple(
        Link(
            own.name,
            Surface(
                own.surface.points,
                own.surface.normals,
                np.full((len(own.surface.points), 3), number, np.uint8) if coloured else None,
            ),
        )
        for number, own in enumerate(model.links)
    )
    between = with_round_surfaces_between(
        SelfModel.of("arm", links, model.joints), RANGES, NOISE
    ).links[1]
    if coloured:
        assert len(between.surface.colors) == len(between.surface.points)
        assert set(np.unique(between.surface.colors)) == {0, 1, 2}
    else:
        assert between.surface.colors is None


def test_a_robot_without_points_stays():
    nothing = Surface(np.empty((0, 3)), np.empty((0, 3)))
    links = tuple(Link(name, nothing) for name in ("base", "shoulder", "upper"))
    model = SelfModel.of("arm", links, arm(0.0).joints)
    assert with_round_surfaces_between(model, RANGES, NOISE) is model
