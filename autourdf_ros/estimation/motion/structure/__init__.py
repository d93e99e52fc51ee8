"""Search for the tree of links and joints."""
