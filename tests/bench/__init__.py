"""Measures kueuelift against what people use instead: everything in one run, on one machine, told as ratios.

`PYTHONPATH=tests python -m bench.snapshot` is the whole of it; the clusters are the test bed's.
"""
