"""Run the commands of a model: reconstruct, extrinsics, view, upgrade, rollback."""
