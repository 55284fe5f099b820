"""Second stage: makes a plan from a snapshot, on files only: no network, no clock, no cluster."""
