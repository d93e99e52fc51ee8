"""Commands that make and show a model: reconstruct, extrinsics, view."""
