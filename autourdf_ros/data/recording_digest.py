"""The digest by which a recording is recognised."""

from __future__ import annotations

import hashlib

import numpy as np

from autourdf_ros.data.frame import Recording


def recording_digest(recording: Recording) -> str:
    """Return the SHA-256 of all points and joint readings of a recording, in order."""
    total = hashlib.sha256()
    for frame in recording.frames:
        total.update(np.ascontiguousarray(frame.points).tobytes())
        total.update(repr(sorted((frame.joint_positions or {}).items())).encode())
    return total.hexdigest()
