"""Estimate inertial parameters of payloads and links from forces, torques and shapes."""
