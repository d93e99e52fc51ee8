"""From shapes and wrenches of a held object to its payload."""
