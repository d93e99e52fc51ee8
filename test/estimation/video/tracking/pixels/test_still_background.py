import numpy as np

from autourdf_ros.estimation.video.tracking.pixels.depth_images import still_background
from autourdf_ros.estimation.video.tracking.track_options import TrackOptions

FRAMES, WALL = 60, 1.5
ROWS = 5  # of a band


def bands(image):
    """The rows of an image by bands: (4, ROWS, ...)."""
    return image.reshape(4, ROWS, *image.shape[1:])


def video():
    """A wall at 1.5 m, before it a panel that always covers band 1 and slides out of band 2.

    The panel comes 0.2 m nearer and goes back, and rests for a while where it is farthest; a
    finger passes before band 3.
    """
    rng = np.random.default_rng(0)
    way = np.clip(1.2 * np.sin(np.linspace(0, np.pi, FRAMES)) - 0.2, 0, 1)
    panel = 1.2 - 0.2 * way
    depth = np.full((FRAMES, 4, 50), WALL)
    depth[:, 1] = panel[:, None]
    depth[:, 2] = np.where(way > 0.5, panel, WALL)[:, None]
    depth[20:30, 3] = 0.9
    depth = depth.repeat(ROWS, axis=1)
    depth += 1e-3 * depth**2 * rng.normal(size=depth.shape)
    return depth.astype(np.float32)


def test_what_a_moving_surface_covers_all_the_time_has_no_background():
    depth = video()
    background = still_background(depth, TrackOptions())
    assert np.isinf(bands(background.depth)[1]).mean() > 0.9
    assert bands(background.shows(depth[0]))[1].mean() < 0.1


def test_what_is_uncovered_or_always_seen_is_background():
    depth = video()
    background = still_background(depth, TrackOptions())
    for band in (0, 2, 3):
        np.testing.assert_allclose(bands(background.depth)[band], WALL, atol=0.01)
    assert bands(background.shows(depth[0]))[[0, 2, 3]].mean() > 0.99


def test_a_table_that_a_wall_uncovers_by_sliding_over_it_is_background():
    # Seen aslant, the wall meets the table: the depth changes little from frame to frame while the
    # wall leaves, as that of a surface does that covers all the time.
    rng = np.random.default_rng(0)
    table = np.full((FRAMES, 20, 50), 1.0)
    front = np.linspace(0, 40, FRAMES)[:, None] - np.arange(50)  # columns behind the wall's foot
    depth = table - np.clip(-0.003 * front, 0, 0.03)[:, None, :]
    depth += 1e-3 * depth**2 * rng.normal(size=depth.shape)
    background = still_background(depth.astype(np.float32), TrackOptions())
    np.testing.assert_allclose(background.depth[:, :30], 1.0, atol=0.005)
