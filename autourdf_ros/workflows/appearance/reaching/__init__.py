"""Reach and touch with any link, by splats or by collision shapes; plans, moves nothing."""
