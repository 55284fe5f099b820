"""Any JSON, with names that mean something more often than chance would have them."""

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st


def anything(names: Sequence[str]) -> st.SearchStrategy[Any]:
    """Values of any shape whose mappings use these names."""
    leaves = (
        st.none() | st.booleans() | st.integers(-2, 5) | st.sampled_from(("", "x", "kueue.x-k8s.io/queue-name", *names))
    )
    keys = st.sampled_from((*names, "kueue.x-k8s.io/queue-name"))
    return st.recursive(
        leaves, lambda below: st.lists(below, max_size=3) | st.dictionaries(keys, below, max_size=4), max_leaves=12
    )
