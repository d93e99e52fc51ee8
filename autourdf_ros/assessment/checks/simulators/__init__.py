"""Load a robot description in Pinocchio, MuJoCo and PyBullet."""
