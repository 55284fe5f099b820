"""Finds the items of a catalogue (conversions, rules, targets, reports, actions): one module each, no registry."""

import importlib
import pkgutil
from types import ModuleType
from typing import TypeVar

Item = TypeVar("Item")


def discover(package: ModuleType, constant: str, item_type: type[Item]) -> list[Item]:
    """Import each public module of `package`, by name, and return its `constant`.

    A module without the constant, or with one of another type, is our own fault and raises TypeError naming it.
    """
    items: list[Item] = []
    for found in sorted(pkgutil.iter_modules(package.__path__), key=lambda module: module.name):
        if found.name.startswith("_"):
            continue
        module = importlib.import_module(f"{package.__name__}.{found.name}")
        item = getattr(module, constant, None)
        if not isinstance(item, item_type):
            raise TypeError(f"{module.__name__} must end with a constant {constant} of type {item_type.__name__}")
        items.append(item)
    return items
