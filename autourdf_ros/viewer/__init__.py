"""Show and move a result folder on a web page."""
