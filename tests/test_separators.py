"""Searches that hand over decisions only: the same decisions, question for question."""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from mbedu.ask import Ask
from mbedu.citests import G2, ChiSquare, MutualInformation
from mbedu.recording import RecordingAsk
from mbedu.varset import subsets

NAMES = list("TABCDEF")


@st.composite
def judges(draw):
    """A test on a random sample with dependence, levels that do not occur, and constant columns."""
    random = np.random.default_rng(draw(st.integers(0, 10**6)))
    n = draw(st.sampled_from([3, 40, 300]))
    table = {}
    for i, name in enumerate(NAMES):
        card = draw(st.integers(1, 4))
        noise = random.integers(0, card, n)
        source = table[NAMES[int(random.integers(0, i))]] if i else noise
        table[name] = np.where(random.random(n) < 0.5, source % card, noise)
    spare = draw(st.integers(0, 1))  # a level that is declared and does not occur
    frame = pd.DataFrame({k: pd.Categorical(v, range(int(v.max()) + 1 + spare)) for k, v in table.items()})
    kind = draw(st.sampled_from([G2, ChiSquare, MutualInformation]))
    rule, engine = draw(st.sampled_from(["full", "adjusted"])), draw(st.sampled_from(["numpy", "auto"]))
    return kind(frame, df=rule, engine=engine)


@given(judges(), st.integers(0, 2))
def test_first_separator_equals_one_by_one(judge, extra):
    """Blocks of conditioning sets give the same set, and count the same questions, as asking in turn."""
    base = set(NAMES[2 : 2 + extra])
    rest = NAMES[2 + extra :]
    for givens in ([base | {v} for v in rest] * 20, list(subsets(rest, 3, 0)), [set(), *({v} for v in rest)]):
        quick, slow = Ask(judge), RecordingAsk(judge)
        assert quick.first_separator("T", "A", iter(givens)) == slow.first_separator("T", "A", iter(givens))
        assert (quick.n_asked, quick.largest_given) == (slow.n_asked, slow.largest_given)


@given(judges())
def test_dependents_equals_one_by_one(judge):
    """Those that depend are the same, and in order."""
    for given_ in [(), ("A",), ("A", "B")]:
        ys = [v for v in NAMES[1:] if v not in given_]
        quick, slow = Ask(judge), RecordingAsk(judge)
        assert quick.dependents("T", ys, given_) == slow.dependents("T", ys, given_)
        assert quick.n_asked == slow.n_asked
