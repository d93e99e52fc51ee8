"""Turn a bag of a moving robot into a recording."""
