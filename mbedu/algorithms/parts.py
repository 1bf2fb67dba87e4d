"""What several algorithms share: where they start, and what they never remove."""

from __future__ import annotations

from mbedu.ask import Ask
from mbedu.query import Vars, names
from mbedu.registry import require


def initial(ask: Ask, T: str, start: Vars, whitelist: Vars) -> frozenset[str]:
    """Return the set to start with, `start` and `whitelist` together; neither may hold the target."""
    chosen = names(start) | names(whitelist)
    require(
        T not in chosen,
        f"the target {T!r} is in start or whitelist; leave it out, it is never in its own boundary",
    )
    if chosen:
        ask.others(chosen)  # refuses unknown names, with suggestions
    return chosen
