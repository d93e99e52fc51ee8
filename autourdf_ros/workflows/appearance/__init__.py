"""From images and a result folder to splats, and back to images."""
