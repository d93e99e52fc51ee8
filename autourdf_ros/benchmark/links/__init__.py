"""The suite `links`: masses and friction from efforts, on simulated robots with known masses."""
