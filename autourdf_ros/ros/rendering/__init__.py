"""The rendering node: what a camera will see of the robot, and what it measures of other things."""
