"""The model against live clouds: what changed on the robot, its cameras or near them."""
