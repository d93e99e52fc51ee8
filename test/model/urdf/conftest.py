from toy_fixtures import toy, toy_urdf  # noqa: F401
