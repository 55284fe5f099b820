"""First stage: reads everything Kueue-related from a cluster into a sealed directory."""
