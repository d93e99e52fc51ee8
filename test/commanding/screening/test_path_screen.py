"""What is in the way of a motion is found along the whole of it."""

from pathlib import Path

import numpy as np
import pytest
from result_documents import write_document
from toy_robot import DRIVEN, FOLDED, write_toy

from autourdf_ros.commanding.screening.forbidden import Forbidden
from autourdf_ros.commanding.screening.free_line import RESOLUTION, first_conflict
from autourdf_ros.commanding.screening.keep_out import KeepOut
from autourdf_ros.commanding.screening.model_screen import model_distances, unmoved_joints
from autourdf_ros.commanding.screening.path_screen import NOTHING, PathScreen
from autourdf_ros.errors import InputError

# Beside the arm, which points along x and reaches 0.5 m.
POST = KeepOut("post", (0.2, 0.3, -1.0), (0.3, 0.4, 1.0))


@pytest.fixture(scope="module")
def toy_urdf(tmp_path_factory):
    return write_toy(tmp_path_factory.mktemp("toy"))


def distances(urdf, joints=DRIVEN, keep_out=(), height=None, clearance=0.01):
    return model_distances(urdf, joints, "base", keep_out, height, clearance)


def at(**values):
    return dict.fromkeys(DRIVEN, 0.0) | values


def test_a_sweep_through_a_box_is_refused_though_its_ends_are_free(toy_urdf):
    screen = PathScreen((), distances(toy_urdf, keep_out=[POST]))
    before, behind = at(pan=-0.3), at(pan=1.7)
    assert screen.reason([before]) is None and screen.reason([behind]) is None
    reason = screen.reason([before, behind])
    assert "enters keep_out 'post' (at pan" in reason and reason.startswith("link '")
    assert screen.reason([before, at(pan=0.2)]) is None
    assert NOTHING.reason([before, behind]) is None


def test_a_box_that_is_thinner_than_any_step_is_met(toy_urdf):
    wall = KeepOut("foil", (0.2, 0.3, -1.0), (0.5, 0.3001, 1.0))
    screen = PathScreen((), distances(toy_urdf, keep_out=[wall], clearance=0.0))
    assert "keep_out 'foil'" in screen.reason([at(pan=-0.3), at(pan=1.7)])


def test_links_stay_above_the_minimum_height(toy_urdf):
    screen = PathScreen((), distances(toy_urdf, height=0.05))
    reason = screen.reason([at(), at(lift=1.0)])
    assert "sinks below minimum_height 0.05 m" in reason
    assert screen.reason([at(), at(lift=-0.5)]) is None


def test_links_that_would_touch_are_refused(toy_urdf):
    screen = PathScreen((), distances(toy_urdf))
    reason = screen.reason([at(), at(**FOLDED)])
    assert reason.startswith("links '") and "touch" in reason


def bar(low, high):
    """Corners of a bar."""
    return np.stack(np.meshgrid(*zip(low, high, strict=True), indexing="ij"), -1).reshape(-1, 3)


TOOL = bar((-0.01, -0.01, 0.0), (0.01, 0.01, 0.4))


@pytest.fixture(scope="module")
def tip(toy_urdf):
    """The toy's last link."""
    return PathScreen((), distances(toy_urdf))._distances._links[-1].name


def test_a_motion_that_only_the_held_tool_would_hit_is_refused(toy_urdf, tip):
    screen = PathScreen((), distances(toy_urdf, keep_out=[POST], height=-0.1))
    start, move = at(pan=-0.3), [at(pan=-0.3), at(pan=0.2)]
    pose = screen.link_pose(tip, start)
    # A thin tool out to the side of the arm, level with it.
    aside = pose[:3, :3].T @ np.array([0.0, 1.0, 0.0])
    long = np.outer([0.0, 0.35], aside)[:, None] + bar((-0.01,) * 3, (0.01,) * 3)
    holding = screen.holding(long.reshape(-1, 3), tip, start)
    assert screen.reason(move) is None
    assert "the held object enters keep_out 'post'" in holding.reason(move)
    assert holding.reason([start]) is None
    assert screen.reason(move) is None


def test_a_held_tool_keeps_the_minimum_height(toy_urdf, tip):
    screen = PathScreen((), distances(toy_urdf, height=0.05))
    start = at()
    down = screen.link_pose(tip, start)[:3, :3].T @ np.array([0.0, 0.0, -1.0])
    above = screen.link_pose(tip, start)[2, 3] - 0.05
    long = np.outer([0.0, above], down)[:, None] + bar((-0.01,) * 3, (0.01,) * 3)
    holding = screen.holding(long.reshape(-1, 3), tip, start)
    assert screen.reason([start]) is None
    assert "the held object sinks below minimum_height" in holding.reason([start])


def test_a_held_tool_may_touch_what_holds_it_but_no_other_link(toy_urdf, tip):
    screen = PathScreen((), distances(toy_urdf))
    start = at()
    points = bar((-0.01,) * 3, (0.01,) * 3)
    assert screen.holding(points, tip, start).reason([start]) is None
    # Reaches back to the robot's foot: it touches links where the robot stands, which hold it.
    root = np.linalg.inv(screen.link_pose(tip, start)) @ [0.0, 0.0, 0.0, 1.0]
    back = np.vstack([points, points + root[:3]])
    assert screen.holding(back, tip, start).reason([start]) is None
    away = screen.link_pose(tip, start)[:3, :3].T @ [-0.35, -0.2, 0.0]
    move = [start, at(lift=0.8)]
    assert screen.reason(move) is None
    reason = screen.holding(np.vstack([points, points + away]), tip, start).reason(move)
    assert "the held object and link 'base' touch" in reason


def test_the_motion_of_a_held_object_has_bounds(toy_urdf, tip):
    free = distances(toy_urdf, keep_out=[POST])
    points = TOOL + np.array([0.0, 0.05, 0.0])
    held = PathScreen((), free).holding(points, tip, at())._distances
    rng = np.random.default_rng(0)
    everything = np.arange(len(held.margins))
    for one, two in zip(held.robot.sampled(10, rng), held.robot.sampled(10, rng), strict=True):
        bounds = held.bounds(two - one)
        near, far = (
            held.nearer(values, np.full(len(everything), np.inf), everything)
            for values in (one, two)
        )
        outside = (near > 0) & (far > 0)
        assert (np.abs(near - far)[outside] <= bounds[outside] + 1e-6).all()
    assert len(held.margins) > len(free.margins)


def test_a_flat_held_object_has_a_hull(toy_urdf, tip):
    sheet = 0.02 * np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0.5, 0.5, 0]])
    screen = PathScreen((), distances(toy_urdf, keep_out=[POST]))
    assert screen.holding(sheet, tip, at()).reason([at()]) is None


def test_an_unknown_holder_is_named(toy_urdf):
    with pytest.raises(InputError, match="has no link 'hook'"):
        PathScreen((), distances(toy_urdf)).holding(TOOL, "hook", at())
    with pytest.raises(InputError, match="no model"):
        NOTHING.holding(TOOL, "hook", at())


def test_forbidden_configurations_need_no_model():
    screen = PathScreen([Forbidden("left", {"pan": (0.5, 1.0)})])
    assert "'left'" in screen.reason([at(), at(lift=1.0), at(pan=2.0)])
    assert screen.reason([at(), at(lift=1.0)]) is None


def test_joints_that_are_not_commanded_count_where_they_stand(toy_urdf):
    joints = ["pan", "slide"]
    model = distances(toy_urdf, joints, [POST])
    assert unmoved_joints(model, joints) == ["lift", "hidden", "roll"]
    stood = {"lift": -1.5, "hidden": 0.0, "roll": 0.0}
    screen = PathScreen((), model, lambda: stood)
    sweep = [{"pan": pan, "slide": 0.0} for pan in (-0.3, 1.7)]
    assert screen.reason(sweep) is None
    stood["lift"] = 0.0
    assert "keep_out 'post'" in screen.reason(sweep)


@pytest.mark.parametrize("seed", range(3))
def test_nothing_is_met_anywhere_on_a_line_that_is_free(toy_urdf, seed):
    model = distances(toy_urdf, keep_out=[POST], height=0.05, clearance=0.0)
    rng = np.random.default_rng(seed)
    robot, everyone = model.robot, np.arange(len(model.margins))
    far = np.full(len(everyone), np.inf)
    free = 0
    for _ in range(30):
        ends = robot.sampled(2, rng)
        met = first_conflict(model, *ends)
        if met is not None:
            pair, values = met
            assert model.nearer(values, far[:1], np.array([pair]))[0] <= 0.0
            continue
        free += 1
        for share in np.linspace(0, 1, 40):
            values = ends[0] + share * (ends[1] - ends[0])
            assert model.nearer(values, far, everyone).min() > -RESOLUTION
    assert free


def test_the_bounds_hold(toy_urdf):
    model = distances(toy_urdf, keep_out=[POST], height=0.05)
    rng = np.random.default_rng(1)
    everyone = np.arange(len(model.margins))
    far = np.full(len(everyone), np.inf)
    for _ in range(50):
        one, two = model.robot.sampled(2, rng)
        two = one + 0.2 * (two - one)
        gaps = [model.nearer(values, far, everyone) for values in (one, two)]
        apart = np.minimum(*gaps) > 0
        change = np.abs(gaps[1] - gaps[0])
        assert (change <= model.bounds(two - one) + 1e-6)[apart].all()


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"joints": [*DRIVEN, "elbow"]}, "has no moving joint elbow, whose motion"),
        ({"base_frame": "hand"}, "base_frame 'hand' is no link that is fixed to its root"),
        ({"base_frame": "world"}, "base_frame 'world' is no link"),
    ],
)
def test_a_model_that_does_not_fit_is_refused(toy_urdf, changes, text):
    given = {"joints": DRIVEN, "base_frame": "base"} | changes
    with pytest.raises(InputError, match=text):
        model_distances(toy_urdf, given["joints"], given["base_frame"], [POST], None, 0.0)


def test_a_model_without_shapes_cannot_keep_out(tmp_path):
    bare = Path(tmp_path / "bare.urdf")
    bare.write_text(
        '<robot name="r"><link name="base"/><link name="arm"/><joint name="pan" type="revolute">'
        '<parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>'
        '<limit lower="-1" upper="1" velocity="1" effort="1"/></joint></robot>'
    )
    assert model_distances(bare, ["pan"], "base", [], None, 0.0).bare == ["pan"]
    with pytest.raises(InputError, match="nothing that pan moves has a collision shape"):
        model_distances(bare, ["pan"], "base", [], 0.1, 0.0)


def test_a_result_of_another_frame_is_refused(toy_urdf, tmp_path):
    (tmp_path / "robot.urdf").write_text(toy_urdf.read_text())
    write_document(tmp_path, fixed_frame="world", joints=[], sequences=[])
    with pytest.raises(InputError, match="is of the frame 'world'; accepted is a model of base"):
        model_distances(tmp_path, DRIVEN, "base", [], None, 0.0)
    assert model_distances(tmp_path, DRIVEN, "world", [POST], None, 0.0).conflicts


def test_what_a_motion_moves_keeps_the_room_that_is_asked_for(toy_urdf):
    model = distances(toy_urdf, keep_out=[POST])
    sweep = [at(), at(pan=0.25)]
    assert PathScreen((), model).reason(sweep) is None
    room = {None: 0.2}
    wide = model.widened(lambda one, other: room.get(other, 0.0))
    screen = PathScreen((), model, wide=wide)
    reason = screen.reason(sweep)
    assert "enters keep_out 'post', or come nearer than 210 mm (at pan" in reason
    # Where it stands it may stay.
    assert screen.reason([at(pan=0.25)]) is None
    room[None] = 0.0
    assert PathScreen((), model, wide=model.widened(lambda *_: 0.0)).reason(sweep) is None


def test_readings_of_motors_are_screened_as_values_of_joints(toy_urdf):
    model = distances(toy_urdf, keep_out=[POST])
    turned = PathScreen((), model, joints=lambda read: {n: -v for n, v in read.items()})
    assert turned.reason([at(pan=-0.2), at(pan=1.7)]) is None
    assert "'post'" in turned.reason([at(pan=0.2), at(pan=-1.7)])
