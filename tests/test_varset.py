"""VarSet behaves as a set that iterates in variable order; Subsets as the list that it stands for."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mbedu.varset import Subsets, VarSet, subsets

UNIVERSE = tuple("TABCDEF")
POSITION = {name: i for i, name in enumerate(UNIVERSE)}
CHANGES = st.lists(st.tuples(st.sampled_from("+-&="), st.frozensets(st.sampled_from(UNIVERSE))), max_size=8)


@given(CHANGES)
def test_varset_is_a_set_in_variable_order(changes):
    """After any changes a VarSet holds what a built-in set would, in the order of the universe."""
    watched, plain = VarSet(POSITION), set()
    for operator, value in changes:
        if operator == "+":
            watched |= value
            plain |= value
        elif operator == "-":
            watched -= value
            plain -= value
        elif operator == "=":
            watched.replace(value)
            plain = set(value)
        else:
            for item in value:
                watched.add(item)
                plain.add(item)
    assert watched == plain
    assert list(watched) == [v for v in UNIVERSE if v in plain]
    assert watched - {"T"} == plain - {"T"}
    assert watched | {"T"} == plain | {"T"}
    assert {"T", "A"} - watched == {"T", "A"} - plain


def test_an_unknown_name_changes_nothing():
    """A name outside the universe is refused before anything has changed."""
    watched = VarSet(POSITION, items="A")
    with pytest.raises(KeyError):
        watched |= {"B", "nobody"}
    assert watched == {"A"}


@given(st.integers(0, 7), st.integers(0, 4), st.integers(0, 4))
def test_subsets_are_the_combinations(n, smallest, extra):
    """Lazily indexed or iterated, Subsets is the list of combinations, by size and in order."""
    items, largest = UNIVERSE[:n], smallest + extra
    expected = [frozenset(c) for k in range(smallest, min(largest, n) + 1) for c in combinations(items, k)]
    lazy = Subsets(items, smallest, largest)
    assert list(lazy) == expected
    assert len(lazy) == len(expected)
    assert [lazy[i] for i in range(len(lazy))] == expected
    assert lazy[1:5] == expected[1:5]
    if expected:
        assert lazy[-1] == expected[-1]
    with pytest.raises(IndexError):
        lazy[len(expected)]


def test_subsets_of_many_cost_nothing_to_make():
    """Half a million subsets are described, not built."""
    assert len(subsets(map(str, range(150)), 3)) == 150 + 11175 + 551300
