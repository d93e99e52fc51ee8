"""A capture session: move, wait until the robot stands still, record, repeat."""
