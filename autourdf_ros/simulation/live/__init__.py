"""The simulated cell in real time: motors, encoders, cameras."""
