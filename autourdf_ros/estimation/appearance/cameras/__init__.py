"""Where the cameras of images stand: structure from motion, its scale, and the robot in it."""
