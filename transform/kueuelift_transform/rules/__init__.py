"""The rules: one module each, ending with a constant RULE (see `kueuelift_transform.rule`)."""
