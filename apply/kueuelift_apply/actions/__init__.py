"""The step kinds, one a file; each module ends with its ACTION."""
