"""The identification node: the robot weighs what it holds, by turning it."""
