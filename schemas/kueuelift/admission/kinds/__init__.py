"""The kinds that Kueue's webhooks judge: one module each, ending with a constant KIND (see `kueuelift.admission`)."""
