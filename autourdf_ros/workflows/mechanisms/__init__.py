"""From a video to a mechanism's result folder, its dynamics, and forecasts of it."""
