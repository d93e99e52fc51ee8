"""The layers of a model: what is known of its links and joints, and how well."""
