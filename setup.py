"""Installs the package: `colcon build` uses it, and pip on a machine without ROS."""

from pathlib import Path

from setuptools import find_packages, setup

NAME = "autourdf_ros"
NODES = (
    "capture",
    "identification",
    "mechanism_cell",
    "monitor",
    "publisher",
    "reconstruction",
    "rendering",
    "sim_cell",
    "slider",
    "swing_up",
)


def shared(folder: str) -> list[tuple[str, list[str]]]:
    """Where the files of a folder of this package, and of the folders in it, are installed."""
    files = sorted(path for path in Path(folder).rglob("*.*") if path.is_file())
    return [(f"share/{NAME}/{path.parent}", [str(path)]) for path in files]


setup(
    name=NAME,
    version="0.1.0",
    description="A robot cell writes its own URDF from motion, or from meshes of parts",
    license="Apache-2.0",
    maintainer="autourdf_ros maintainers",
    maintainer_email="maintainers@autourdf.example",
    python_requires=">=3.11",
    packages=find_packages(include=[NAME, f"{NAME}.*"]),
    package_data={NAME: ["**/*.html", "**/*.jinja", "**/*.urdf", "*.xml"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
        *shared("launch"),
        *shared("config"),
        *shared("rviz"),
        *shared("sros2"),
    ],
    extras_require={
        "cameras": ["pycolmap"],
        "check": ["pybullet"],
        "coacd": ["coacd"],
        "fleet": ["aiohttp", "bokeh", "distributed", "s3fs"],
        "inertia": ["clarabel", "cvxpy"],
        "neural": ["torch"],
        "parts": ["articulatearena", "gymnasium-robotics"],
        "usd": ["urdf-usd-converter"],
        "video": ["cma", "emcee", "imageio-ffmpeg"],
    },
    zip_safe=True,
    entry_points={
        "console_scripts": [
            f"autourdf = {NAME}.cli.main:main",
            f"demo_follower = {NAME}.demo.follower:main",
            *(f"{node}_node = {NAME}.ros.node_program:main" for node in NODES),
        ]
    },
)
