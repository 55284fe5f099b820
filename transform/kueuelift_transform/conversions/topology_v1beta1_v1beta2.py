"""Topology: the same fields in both versions; no webhook is asked."""

from kueuelift_transform.conversion import Conversion

CONVERSION = Conversion(kind="Topology", source="v1beta1", target="v1beta2")
