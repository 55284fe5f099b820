"""The reports: one module each, ending with a constant REPORT (see `kueuelift_transform.report`)."""
