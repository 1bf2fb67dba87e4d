"""What all tests share: reproducible hypothesis runs, no window, and where to find a browser."""

import os
import shutil

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("MPLBACKEND", "Agg")

# `ci` gives the same examples in every run, so that a red test is red for its author too.
# Look for new counterexamples with  pytest --hypothesis-profile=explore
settings.register_profile(
    "ci", derandomize=True, database=None, deadline=None, max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip
settings.register_profile("explore", deadline=None, max_examples=2000)
settings.load_profile("ci")


@pytest.fixture(scope="session")
def chromium() -> str:
    """Return the path of a Chromium to drive; without one: skip, or fail where one is required."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = os.environ.get("MBEDU_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if found:
        return found
    reason = f"no browser: none of {', '.join(names)} is on PATH and MBEDU_CHROMIUM is not set"
    if os.environ.get("MBEDU_REQUIRE_BROWSER") == "1":
        pytest.fail(reason + " (MBEDU_REQUIRE_BROWSER=1)")
    pytest.skip(reason)
