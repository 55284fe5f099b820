"""The contract between the three stages: formats, kinds, release profiles, errors; it imports none of them."""
