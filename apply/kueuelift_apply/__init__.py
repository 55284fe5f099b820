"""Third stage: carries a reviewed plan to the cluster and proves what it did."""
