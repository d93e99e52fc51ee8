"""Load a URDF in PyBullet and print what was loaded: a process of its own, as it may crash."""

from __future__ import annotations

import json
import sys

import pybullet


def probe(urdf: str) -> dict[str, object]:
    """Return the names of the joints and the number of visual shapes."""
    client = pybullet.connect(pybullet.DIRECT)
    body = pybullet.loadURDF(
        urdf, useFixedBase=True, flags=pybullet.URDF_USE_INERTIA_FROM_FILE, physicsClientId=client
    )
    count = pybullet.getNumJoints(body, physicsClientId=client)
    joints = [pybullet.getJointInfo(body, i, client)[1].decode() for i in range(count)]
    visuals = pybullet.getVisualShapeData(body, physicsClientId=client)
    return {"joints": joints, "visuals": len(visuals)}


if __name__ == "__main__":
    print("\n" + json.dumps(probe(sys.argv[1])))
