"""The URDF loads everywhere with visuals kept, and stands where the model stands."""

import hashlib
import re
import xml.etree.ElementTree as ET

import mujoco
import numpy as np
import pinocchio
import pybullet
import pytest
import trimesh
import urchin
import yourdfpy
from synthetic_robot import arm_model, posed, sampled

from autourdf_ros.export.formats.urdf import urdf_names, write_urdf
from autourdf_ros.model.forward_kinematics import link_poses
from autourdf_ros.model.layers.shape import Surface
from autourdf_ros.model.self_model import Joint, Link, SelfModel
from autourdf_ros.report.figures.mesh_figure import draw_meshes
from autourdf_ros.shape.urdf_options import UrdfOptions

MODEL = arm_model()
SMALL = arm_model(count=50)  # hulls: quick to write
LINKS = [f"link_{i}" for i in range(5)]
JOINTS = ["shoulder_pan", "arm_lift", "slide", "spin"]


@pytest.fixture(scope="module")
def urdf(tmp_path_factory):
    return write_urdf(MODEL, tmp_path_factory.mktemp("urdf"))


def test_urchin_loads_it(urdf):
    robot = urchin.URDF.load(str(urdf))
    assert robot.base_link.name == "base_link"
    assert [joint.name for joint in robot.actuated_joints] == JOINTS
    assert [bool(link.visuals) for link in robot.links] == [False, True, True, True, True, True]


def test_yourdfpy_loads_it(urdf):
    robot = yourdfpy.URDF.load(str(urdf))
    assert list(robot.actuated_joint_names) == JOINTS
    assert len(robot.scene.geometry) == 5
    kinds = {type(geometry.visual).__name__ for geometry in robot.scene.geometry.values()}
    assert kinds == {"TextureVisuals"}


def test_pinocchio_loads_it_with_visuals_and_collisions(urdf):
    model, collision, visual = pinocchio.buildModelsFromUrdf(str(urdf), [str(urdf.parent)])
    assert list(model.names)[1:] == JOINTS
    assert len(visual.geometryObjects) == len(collision.geometryObjects) == 5


@pytest.mark.parametrize("values", [(0, 0, 0, 0), (0.3, -0.4, 0.02, 0.7), (-0.9, 0.8, 0.09, 2.5)])
def test_posing_agrees_with_pinocchio(urdf, values):
    model = pinocchio.buildModelFromUrdf(str(urdf))
    *turns, spin = values
    data = model.createData()
    pinocchio.forwardKinematics(model, data, np.array([*turns, np.cos(spin), np.sin(spin)]))
    pinocchio.updateFramePlacements(model, data)
    for name, pose in zip(LINKS, link_poses(MODEL.tree, values), strict=True):
        placement = data.oMf[model.getFrameId(name)].homogeneous
        np.testing.assert_allclose(placement, pose, atol=1e-8)


def test_meshes_stand_where_the_reference_cloud_is(urdf):
    robot = urchin.URDF.load(str(urdf))
    reference = dict(zip(JOINTS, [joint.reference for joint in MODEL.joints], strict=True))
    scene = robot.visual_trimesh_fk(cfg=reference)
    values = [joint.reference for joint in MODEL.joints]
    clouds = posed(MODEL, values)[:4]
    for (mesh, pose), cloud in zip(list(scene.items())[:4], clouds, strict=True):
        placed = mesh.copy().apply_transform(pose)
        distance = np.abs(trimesh.proximity.closest_point(placed, cloud)[1])
        assert np.median(distance) < 0.0015


def test_pybullet_loads_it_with_visuals(urdf):
    client = pybullet.connect(pybullet.DIRECT)
    try:
        body = pybullet.loadURDF(
            str(urdf), flags=pybullet.URDF_USE_INERTIA_FROM_FILE, physicsClientId=client
        )
        count = pybullet.getNumJoints(body, physicsClientId=client)
        names = [pybullet.getJointInfo(body, i, client)[1].decode() for i in range(count)]
        assert names[1:] == JOINTS
        shapes = pybullet.getVisualShapeData(body, physicsClientId=client)
        assert [shape[1] for shape in shapes] == [0, 1, 2, 3, 4]
        assert all(shape[2] == pybullet.GEOM_MESH for shape in shapes)
    finally:
        pybullet.disconnect(client)


def test_mujoco_loads_it_with_visuals(urdf):
    model = mujoco.MjModel.from_xml_path(str(urdf))
    assert [model.joint(i).name for i in range(model.njnt)] == JOINTS
    assert model.nmesh == 10
    assert (model.geom_group == 1).sum() == 5
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 100)
    assert np.isfinite(data.qpos).all()


def test_every_name_is_legal_and_every_path_relative(urdf):
    tree = ET.parse(urdf)
    for element in tree.getroot().findall("*[@name]"):
        assert re.fullmatch(r"\w+", element.get("name")), element.get("name")
    paths = [mesh.get("filename") for mesh in tree.iter("mesh")]
    assert len(paths) == 10
    assert all(path.startswith("meshes/") and (urdf.parent / path).is_file() for path in paths)


def test_limits_and_stated_defaults(urdf):
    joints = {joint.name: joint for joint in urchin.URDF.load(str(urdf)).joints}
    limit = joints["shoulder_pan"].limit
    assert (limit.lower, limit.upper, limit.effort, limit.velocity) == (-1.0, 1.5, 100.0, 1.0)
    assert joints["slide"].limit.effort == 500.0
    spin = ET.parse(urdf).getroot().find("joint[@name='spin']/limit")
    assert set(spin.keys()) == {"effort", "velocity"}


def test_inertias_are_physically_consistent_and_the_root_has_none(urdf):
    links = urchin.URDF.load(str(urdf)).links
    root = ET.parse(urdf).getroot().find("link[@name='base_link']")
    assert list(root) == []
    for link in links[1:]:
        moments = np.linalg.eigvalsh(link.inertial.inertia)
        assert link.inertial.mass > 0
        assert moments[0] > 0
        assert moments[0] + moments[1] >= moments[2]
    # A 0.1 x 0.1 x 0.3 m box of water.
    assert links[2].inertial.mass == pytest.approx(3.0, rel=0.05)
    assert np.trace(links[2].inertial.inertia) == pytest.approx(0.055, rel=0.1)


@pytest.mark.slow
def test_collision_meshes_are_convex_light_and_hold_the_visual(urdf):
    robot = yourdfpy.URDF.load(str(urdf), load_collision_meshes=True)
    triangles = 0
    for name in robot.link_map.keys() - {"base_link"}:
        link = robot.link_map[name]
        outer, inner = (
            trimesh.load(urdf.parent / element.geometry.mesh.filename, force="mesh")
            for element in (link.collisions[0], link.visuals[0])
        )
        assert outer.is_convex and outer.is_watertight
        triangles += len(outer.faces)
        margins = ((outer.triangles[:, 0] * outer.face_normals).sum(1))[:, None]
        assert (outer.face_normals @ inner.vertices.T - margins).max() < 1e-5
    assert triangles < 5000  # of the whole robot


@pytest.mark.slow
def test_every_convex_part_is_a_collision_of_its_own(tmp_path):
    solid = trimesh.boolean.union(
        [trimesh.creation.box((0.3, 0.05, 0.05)), trimesh.creation.box((0.05, 0.05, 0.3))]
    )
    cross = Link("cross", sampled(solid, 2000, 0, noise=0))
    urdf = write_urdf(
        SelfModel.of("cross", (cross,)), tmp_path, options=UrdfOptions(collision="coacd")
    )
    files = [
        mesh.get("filename") for mesh in ET.parse(urdf).getroot().iterfind(".//collision//mesh")
    ]
    assert len(set(files)) == len(files) >= 3
    for file in files:
        content = (tmp_path / file).read_bytes()
        assert hashlib.sha256(content).hexdigest()[:10] in file
    collision = pinocchio.buildModelsFromUrdf(str(urdf), [str(tmp_path)])[1]
    assert len(collision.geometryObjects) == len(files)


def weights(urdf):
    return [float(mass.get("value")) for mass in ET.parse(urdf).iter("mass")]


@pytest.mark.slow
def test_it_says_that_masses_are_estimates_and_how(urdf, tmp_path):
    assert "estimates" in urdf.read_text() and "1000 kg/m^3" in urdf.read_text()
    plain = weights(write_urdf(SMALL, tmp_path / "plain"))
    light = write_urdf(SMALL, tmp_path / "light", options=UrdfOptions(density=500))
    np.testing.assert_allclose(weights(light), np.array(plain) / 2, rtol=1e-6)
    weighed = write_urdf(SMALL, tmp_path / "weighed", options=UrdfOptions(total_mass=7.0))
    assert sum(weights(weighed)) == pytest.approx(7.0)
    np.testing.assert_allclose(np.ptp(np.array(weights(weighed)) / plain), 0, atol=1e-6)
    assert "the whole robot weighs the 7 kg given" in weighed.read_text()


@pytest.mark.parametrize("kind", ["box", "cylinder", "capsule", "sphere"])
def test_primitives_stand_for_the_links_where_they_are_asked_for(tmp_path, kind):
    urdf = write_urdf(SMALL, tmp_path, options=UrdfOptions(shapes=kind))
    assert not list(tmp_path.rglob("*.stl"))
    tags = {"box": {"box"}, "cylinder": {"cylinder"}, "sphere": {"sphere"}}
    for link in urchin.URDF.load(str(urdf)).links[1:]:
        seen = np.vstack([mesh.vertices for mesh in link.visuals[0].geometry.meshes])
        gaps = [how_far_outside(shape, seen) for shape in link.collisions]
        assert np.min(gaps, axis=0).max() < 1e-6
    for link in ET.parse(urdf).getroot().findall("link")[1:]:
        found = {geometry[0].tag for geometry in link.findall("collision/geometry")}
        assert found in (tags.get(kind, {"cylinder", "sphere"}), {"sphere"})
    _, collision, visual = pinocchio.buildModelsFromUrdf(str(urdf), [str(tmp_path)])
    assert len(collision.geometryObjects) >= 5 and len(visual.geometryObjects) == 5
    assert np.isfinite(mujoco.MjModel.from_xml_path(str(urdf)).geom_size).all()


def how_far_outside(shape, points):
    """(N,) metres by which points (N, 3) lie outside a primitive of the URDF."""
    own = (points - shape.origin[:3, 3]) @ shape.origin[:3, :3]
    geometry = shape.geometry
    if geometry.box is not None:
        return (np.abs(own) - geometry.box.size / 2).max(1)
    if geometry.sphere is not None:
        return np.linalg.norm(own, axis=1) - geometry.sphere.radius
    across = np.linalg.norm(own[:, :2], axis=1) - geometry.cylinder.radius
    return np.maximum(across, np.abs(own[:, 2]) - geometry.cylinder.length / 2)


def test_primitives_are_shown_where_that_is_asked_for(tmp_path):
    urdf = write_urdf(SMALL, tmp_path, options=UrdfOptions(shapes="box", show_shapes=True))
    assert not list(tmp_path.rglob("*.obj"))
    boxes = ET.parse(urdf).getroot().findall("link/visual/geometry/box")
    assert len(boxes) == 5
    draw_meshes(urdf, MODEL.reference_configuration, tmp_path / "boxes.png")


@pytest.mark.slow
def test_a_colourless_robot_seen_from_one_side_loads_everywhere(tmp_path):
    links = []
    for link in arm_model(colored=False).links:
        seen = link.surface.normals[:, 2] > -0.5
        links.append(
            Link(link.name, Surface(link.surface.points[seen], link.surface.normals[seen]))
        )
    urdf = write_urdf(SelfModel.of("half", tuple(links), MODEL.joints), tmp_path)
    assert any("_unseen" in path.read_text() for path in tmp_path.rglob("*.mtl"))
    assert mujoco.MjModel.from_xml_path(str(urdf)).nmesh >= 8
    pinocchio.buildModelsFromUrdf(str(urdf), [str(tmp_path)])
    urchin.URDF.load(str(urdf))
    client = pybullet.connect(pybullet.DIRECT)
    try:
        body = pybullet.loadURDF(str(urdf), physicsClientId=client)
        shapes = pybullet.getVisualShapeData(body, physicsClientId=client)
        assert {shape[1] for shape in shapes} >= {0, 1, 2, 3}
    finally:
        pybullet.disconnect(client)


@pytest.mark.slow
def test_without_colours_each_link_has_a_colour_of_its_own(tmp_path):
    urdf = write_urdf(arm_model(colored=False, count=100), tmp_path)
    colors = [color.get("rgba") for color in ET.parse(urdf).getroot().iter("color")]
    assert len(set(colors)) == 5
    assert not list(tmp_path.rglob("*.png"))


@pytest.mark.slow
def test_the_same_model_gives_the_same_bytes(tmp_path):
    digests = []
    for name in ("a", "b"):
        write_urdf(arm_model(count=300), tmp_path / name)
        files = sorted(path for path in (tmp_path / name).rglob("*") if path.is_file())
        digests.append([(p.name, hashlib.sha256(p.read_bytes()).hexdigest()) for p in files])
    assert digests[0] == digests[1]


def test_names_that_collide_stay_apart():
    surface = MODEL.links[4].surface
    links = tuple(Link(name, surface) for name in ("base_link", "a-b", "a(b"))
    joints = tuple(
        Joint(name, "fixed", "base_link", child, np.eye(3)[2], np.zeros(3), 0, 0)
        for name, child in (("j/1", "a-b"), ("j 1", "a(b"))
    )
    names = urdf_names(SelfModel.of("my robot!", links, joints))
    assert names.robot == "my_robot"
    assert list(names.links.values()) == ["base_link_2", "a_b", "a_b_2"]
    assert list(names.joints.values()) == ["j_1", "j_1_2"]
