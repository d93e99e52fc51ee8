"""The model against live clouds: what changed on the robot, the cameras, or beside them."""
