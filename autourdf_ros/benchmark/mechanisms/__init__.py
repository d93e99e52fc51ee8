"""The suite `mechanisms`: tracking, joints, dynamics and forecasts of simulated videos."""
