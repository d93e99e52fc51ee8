"""The web page on which a result folder is looked at and moved."""
