"""Build the robot model, in metres, from the adjusted articulation."""
