"""Options and settings for all tests."""

from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("kueuelift", deadline=None)
settings.load_profile("kueuelift")

FIXTURES = Path(__file__).parent.parent / "fixtures"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-goldens", action="store_true", help="rewrite golden files; review them as a diff")


@pytest.fixture
def update_goldens(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-goldens"))
