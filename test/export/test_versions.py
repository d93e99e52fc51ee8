"""Result folders that take layers, and their versions."""

import json
import os
import random
import shutil
import signal
import time
from dataclasses import replace

import mujoco
import numpy as np
import pytest
import urchin
from lxml import etree
from sample_results import write_small_arm
from synthetic_robot import arm_reconstruction, arm_recording

from autourdf_ros.errors import InputError
from autourdf_ros.export import revision
from autourdf_ros.export.enrichment import enrich, upgrade
from autourdf_ros.export.revision import revise
from autourdf_ros.export.versions import (
    KEPT,
    earlier_versions,
    rollback,
    versions_folder,
    write_version,
)
from autourdf_ros.files.writer_lock import lock_beside
from autourdf_ros.model.document.self_model_reading import read_self_model
from autourdf_ros.model.layers.appearance import AppearanceLayer, LinkSplats
from autourdf_ros.model.layers.dynamics import DynamicsLayer, JointDynamics
from autourdf_ros.model.layers.inertia import InertiaLayer, LinkInertia
from autourdf_ros.model.layers.layer import Provenance, Verdict
from autourdf_ros.model.layers.shape import ShapeLayer
from autourdf_ros.workflows.reconstruct import write_reconstruction

pytestmark = pytest.mark.slow

MADE = arm_reconstruction(count=30)
LINK = "link_2"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    return write_small_arm(tmp_path_factory.mktemp("written") / "out")


@pytest.fixture
def out(written, tmp_path):
    return shutil.copytree(written, tmp_path / "out")


def measured(folder, mass=2.5):
    """A layer as an estimator of masses gives it: of one link, resting on the kinematics."""
    own = LinkInertia(
        mass, np.array([0.01, -0.02, 0.03]), np.diag([0.01, 0.02, 0.025]), 1e-4 * np.eye(10)
    )
    return InertiaLayer(
        links={LINK: own},
        provenance=Provenance("inertia/test", "12ab", "2026-01-01T00:00:00+00:00"),
        verdict=Verdict("doubtful", ("the forces were <small>",)),
        rests_on={"kinematics": read_self_model(folder).digests["kinematics"]},
    )


def document(folder):
    return json.loads((folder / "reconstruction.json").read_text())


def mass_in(folder):
    return (
        urchin.URDF.load(str(folder / "robot.urdf"), lazy_load_meshes=True)
        .link_map[LINK]
        .inertial.mass
    )


def beside_locks(parent):
    return sorted(path.name for path in parent.iterdir() if not path.name.endswith(".lock"))


def test_everything_in_the_folder_follows_a_new_layer(out):
    before = document(out)
    assert enrich(out, measured(out)) == out
    robot = urchin.URDF.load(str(out / "robot.urdf"), lazy_load_meshes=True)
    inertial = robot.link_map[LINK].inertial
    assert inertial.mass == 2.5
    np.testing.assert_allclose(inertial.origin[:3, 3], [0.01, -0.02, 0.03])
    np.testing.assert_allclose(inertial.inertia, np.diag([0.01, 0.02, 0.025]))
    simulated = mujoco.MjModel.from_xml_path(str(out / "robot.mjcf.xml"))
    assert simulated.body(LINK).mass[0] == 2.5
    packaged = next(out.glob("arm_description/urdf/arm.urdf"))
    assert etree.parse(packaged).find(f"link[@name='{LINK}']/inertial/mass").get("value") == "2.5"
    assert b"inertia/test" in (out / "robot.urdf").read_bytes()
    now = document(out)
    assert {name for name, value in now.items() if value != before.get(name)} <= {
        "layers",
        "checks",
        "warnings",
    }
    entry = now["layers"]["inertia"]
    assert entry["method"] == "inertia/test" and entry["verdict"] == "doubtful"
    assert entry["reasons"] == ["the forces were <small>"] and entry["stale"] is False
    assert entry["links"][LINK]["mass"] == 2.5 and len(entry["links"]) == len(now["links"])
    assert now["checks"]
    page = (out / "report.html").read_text()
    assert "2.5 ± 0.01 kg" in page and "the forces were &lt;small&gt;" in page
    assert "Masses that were measured" in page and "<td>-</td>" in page  # from no efforts
    assert '<td class="text">doubtful<small>the forces were' in page  # so that long ones wrap


def test_a_plain_reconstruction_shows_nothing_of_layers(written):
    assert "Layers of the model" not in (written / "report.html").read_text()


def test_a_layer_comes_back_as_it_was_given(out):
    layer = measured(out)
    enrich(out, layer)
    read = read_self_model(out).inertia
    assert read.provenance == layer.provenance and read.verdict == layer.verdict
    assert read.rests_on == layer.rests_on
    page = (out / "report.html").read_text()
    assert '<section class="verdict doubtful"' in page and "<title>arm: doubtful" in page
    assert "<b>⚠ doubtful</b> <span>inertia: look at" in page
    own, given = read.links[LINK], layer.links[LINK]
    assert own.mass == given.mass and own.payload is False
    for name in ("centre", "inertia", "covariance"):
        np.testing.assert_array_equal(getattr(own, name), getattr(given, name))
    assert read.links["link_1"].covariance is None


def test_dynamics_go_to_the_joints(out):
    joint = read_self_model(out).tree.joint_names[0]
    enrich(out, DynamicsLayer(joints={joint: JointDynamics(0.5, 0.25, 0.0, 0.1, None, None)}))
    element = etree.parse(out / "robot.urdf").find(f"joint[@name='{joint}']/dynamics")
    assert (element.get("damping"), element.get("friction")) == ("0.5", "0.25")
    simulated = mujoco.MjModel.from_xml_path(str(out / "robot.mjcf.xml"))
    assert simulated.joint(joint).damping[0] == 0.5
    assert read_self_model(out).dynamics.joints[joint].damping_std == 0.1


def test_splats_come_along(out, tmp_path):
    (tmp_path / "a.ply").write_bytes(b"ply")
    layer = AppearanceLayer(links={LINK: LinkSplats("splats/link_2.ply", "ab", 0.1)})
    with pytest.raises(InputError, match=r"'splats/link_2.ply' is not there"):
        enrich(out, layer)
    enrich(out, layer, files={"splats/link_2.ply": tmp_path / "a.ply"})
    assert (out / "splats" / "link_2.ply").read_bytes() == b"ply"
    enrich(out, measured(out))
    assert read_self_model(out).appearance == layer
    assert (out / "splats" / "link_2.ply").is_file()
    elsewhere = AppearanceLayer(links={LINK: LinkSplats("splats/../robot.urdf", "ab")})
    with pytest.raises(InputError, match="accepted is a path below splats/"):
        enrich(out, elsewhere, files={"splats/../robot.urdf": tmp_path / "a.ply"})


def test_a_layer_is_stale_where_what_it_rests_on_is_renewed(out):
    enrich(out, measured(out))

    def moved(folder, content):
        content["joints"][0]["point"][0] += 0.001
        return content

    write_version(out, moved)
    assert document(out)["layers"]["inertia"]["stale"] is True
    assert read_self_model(out).stale == {"inertia": ("kinematics",)}
    assert "stale" in (out / "report.html").read_text()
    enrich(out, measured(out))
    assert read_self_model(out).stale == {}


def test_three_earlier_versions_are_kept_and_come_back(out):
    masses = [mass_in(out)]
    for mass in (1.0, 2.0, 3.0, 4.0, 5.0):
        enrich(out, measured(out, mass))
        masses.append(mass)
    assert [mass_in(version) for version in earlier_versions(out)] == [4.0, 3.0, 2.0]
    assert len(list(versions_folder(out).iterdir())) == KEPT
    for expected in (4.0, 3.0, 2.0):
        rollback(out)
        assert mass_in(out) == expected == document(out)["layers"]["inertia"]["links"][LINK]["mass"]
    with pytest.raises(InputError, match="no earlier version"):
        rollback(out)


def renamed_mesh(number):
    """An edit that gives a link's collision mesh another content and so another name."""

    def edit(folder, content):
        tree = etree.parse(folder / "robot.urdf")
        mesh = tree.find(f"link[@name='{LINK}']/collision/geometry/mesh")
        old = folder / mesh.get("filename")
        new = old.with_name(f"{LINK}_{number}.stl")
        shutil.copy(old, new)
        mesh.set("filename", new.relative_to(folder).as_posix())
        tree.write(folder / "robot.urdf")
        return content

    return edit


def test_meshes_that_a_kept_version_names_stay_until_it_goes(out):
    folder = out / "meshes" / "collision"
    first = {path.name for path in folder.iterdir()}
    for number in range(KEPT):
        write_version(out, renamed_mesh(number))
        names = {path.name for path in folder.iterdir()}
        assert first <= names and f"{LINK}_{number}.stl" in names
    assert not list(out.glob("arm_description/meshes/collision/*_0.stl"))
    write_version(out, renamed_mesh(KEPT))
    names = {path.name for path in folder.iterdir()}
    assert len(first - names) == 1 and {f"{LINK}_{n}.stl" for n in range(KEPT + 1)} <= names
    rollback(out)
    assert {f"{LINK}_{n}.stl" for n in range(KEPT + 1)} <= {p.name for p in folder.iterdir()}


def test_killed_at_any_moment_the_folder_is_whole_and_so_is_what_was_before(out):
    layers = [measured(out, mass) for mass in (1.0, 2.0)]
    enrich(out, layers[0])
    moment = random.Random(1)
    for _ in range(6):
        child = os.fork()
        if child == 0:
            while True:
                for layer in layers:
                    enrich(out, layer)
        time.sleep(moment.uniform(0.3, 2.0))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        for folder in (out, *earlier_versions(out)):
            stated = document(folder)["layers"]["inertia"]
            assert mass_in(folder) == pytest.approx(stated["links"][LINK]["mass"], rel=1e-8)
            named = etree.parse(folder / "robot.urdf").iter("mesh")
            assert all((out / mesh.get("filename")).is_file() for mesh in named)
    enrich(out, layers[1])
    assert mass_in(out) == 2.0 and len(earlier_versions(out)) <= KEPT
    assert beside_locks(out.parent) == [".out.versions", "out"]


def test_killed_while_versions_change_places_none_is_lost(out, monkeypatch):
    """The same with edits of milliseconds, so that kills meet the keeping and the swapping."""

    def only_document(folder, document, *_):
        (folder / "reconstruction.json").write_text(json.dumps(document))

    def numbered(number):
        edit = renamed_mesh(number)
        return lambda folder, content: edit(folder, {**content, "number": number})

    monkeypatch.setattr(revision, "_complete", only_document)
    for path in out.iterdir():
        if path.name not in ("robot.urdf", "reconstruction.json", "meshes"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    for number in range(KEPT + 1):
        write_version(out, numbered(number))
    moment = random.Random(2)
    for _ in range(25):
        child = os.fork()
        if child == 0:
            for number in range(document(out)["number"] + 1, 1_000_000):
                write_version(out, numbered(number))
        time.sleep(moment.uniform(0.02, 0.3))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        numbers = [document(folder)["number"] for folder in (out, *earlier_versions(out))]
        assert numbers[: KEPT + 1] == list(range(numbers[0], numbers[0] - KEPT - 1, -1))
        for folder in (out, *earlier_versions(out)[:KEPT]):
            named = [
                mesh.get("filename") for mesh in etree.parse(folder / "robot.urdf").iter("mesh")
            ]
            assert f"meshes/collision/{LINK}_{document(folder)['number']}.stl" in named
            assert all((out / name).is_file() for name in named)
    write_version(out, numbered(numbers[0] + 1))
    names = [path.name for path in versions_folder(out).iterdir()]
    assert len(names) == KEPT and all(name.isdecimal() for name in names)


def test_nobody_else_may_write_meanwhile(out):
    layer = measured(out)
    child = os.fork()
    if child == 0:
        lock_beside(out)
        time.sleep(60)
        os._exit(0)
    try:
        for _ in range(100):
            if out.with_name(".out.lock").exists():
                break
            time.sleep(0.05)
        time.sleep(0.1)
        for act in (
            lambda: enrich(out, layer),
            lambda: upgraded(out),
            lambda: rollback(out),
        ):
            with pytest.raises(InputError, match="another process is writing there"):
                act()
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert not versions_folder(out).exists()


def upgraded(out):
    content = document(out)
    (out / "reconstruction.json").write_text(json.dumps({**content, "version": 1}))
    upgrade(out)


def test_only_layers_that_may_come_later_are_taken(out):
    with pytest.raises(InputError, match="layer shape cannot be added"):
        enrich(out, ShapeLayer())
    unknown = replace(measured(out), links={"nowhere": measured(out).links[LINK]})
    with pytest.raises(InputError, match="'nowhere'"):
        enrich(out, unknown)
    assert not versions_folder(out).exists()


def test_a_new_reconstruction_forgets_earlier_versions(out):
    enrich(out, measured(out))
    write_reconstruction(MADE, out, name="arm", recording=arm_recording(MADE))
    assert earlier_versions(out) == () and "inertia/test" not in str(document(out)["layers"])


def test_a_revision_without_changes_changes_nothing(written, tmp_path):
    again = revise(written, tmp_path / "again", lambda folder, content: content)
    for path in written.rglob("*"):
        if path.is_file() and path.suffix != ".svg":
            assert path.read_bytes() == (again / path.relative_to(written)).read_bytes(), path
