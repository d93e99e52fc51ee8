"""Small valid videos of mechanisms, with their shapes and forces: files and their readers."""

import io
import json

import numpy as np
import trimesh
import yaml
from PIL import Image
from video_bags import messages, write

from autourdf_ros.data.video.force_table import read_forces
from autourdf_ros.data.video.shape_folder import read_shapes
from autourdf_ros.data.video.video_bag import read_video_bag
from autourdf_ros.data.video.video_file import _read_camera
from autourdf_ros.data.video.video_folder import read_video_folder


def video_folder(folder):
    """Two frames of 6 x 4 pixels: an image of 16 bits, and an array."""
    depth = np.random.default_rng(0).uniform(0.5, 2, (4, 6))
    frames = [
        {"time": i, "transform_matrix": np.eye(4).tolist(), "depth_file_path": name}
        for i, name in enumerate(["a.png", "b.npy"])
    ]
    camera = {"fl_x": 5, "fl_y": 5, "cx": 3, "cy": 2, "w": 6, "h": 4}
    return {
        "a.png": _packed(
            lambda file: Image.fromarray((depth * 1e3).astype(np.uint16)).save(file, "PNG")
        ),
        "b.npy": _packed(lambda file: np.save(file, depth)),
        "transforms.json": json.dumps(camera | {"frames": frames}).encode(),
    }, lambda: read_video_folder(folder)


def video_shapes(folder):
    """A box and a mesh."""
    pose = {"position": [0, 0, 1], "quaternion": [0, 0, 0, 1]}
    shapes = [
        {"name": "a", "box": [0.1, 0.2, 0.3], "pose": pose, "color": [1, 2, 3]},
        {"name": "b", "mesh": "b.stl", "scale": 0.001},
    ]
    return {
        "b.stl": trimesh.creation.box().export(file_type="stl"),
        "shapes.yaml": yaml.safe_dump({"shapes": shapes}).encode(),
    }, lambda: read_shapes(folder)


def video_forces(folder):
    """Forces at points, and an effort."""
    text = "time,a.fx,a.fy,a.fz,a.px,a.py,a.pz,j.effort\n0,1,2,3,4,5,6,7\n0.1,1,2,3,4,5,6,7\n"
    return {"forces.csv": text.encode()}, lambda: read_forces(folder / "forces.csv")


def video_camera(folder):
    """The camera beside a video file."""
    content = {
        "image_width": 4,
        "image_height": 2,
        "camera_matrix": {"rows": 3, "cols": 3, "data": [5, 0, 1.5, 0, 6, 0.5, 0, 0, 1]},
        "pose": {"position": [1, 2, 3], "quaternion": [0, 0, 0, 1]},
    }
    text = yaml.safe_dump(content).encode()
    return {"a.yaml": text}, lambda: _read_camera(folder / "a.yaml")


def video_bag(folder):
    """Images, camera and transforms."""
    bag = write(folder / "bag", messages())
    contents = {f"bag/{file.name}": file.read_bytes() for file in bag.iterdir()}
    return contents, lambda: read_video_bag(folder / "bag")


VIDEO_FILES = {
    maker.__name__: maker
    for maker in (video_folder, video_shapes, video_forces, video_camera, video_bag)
}


def _packed(save):
    buffer = io.BytesIO()
    save(buffer)
    return buffer.getvalue()
