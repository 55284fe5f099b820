"""The targets: one module each, ending with a constant TARGET (see `kueuelift_transform.target`)."""
