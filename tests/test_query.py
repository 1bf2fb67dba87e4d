"""Query: a canonical value that refuses what cannot be asked."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mbedu.errors import MbeduError, QueryError
from mbedu.query import Query, names

NAMES = st.text(min_size=1, max_size=4)


@st.composite
def disjoint(draw):
    pool = draw(st.lists(NAMES, min_size=2, max_size=8, unique=True))
    cut = draw(st.integers(1, len(pool) - 1))
    end = draw(st.integers(cut + 1, len(pool)))
    return pool[:cut], pool[cut:end], pool[end:]


@given(disjoint())
def test_swapping_x_and_y_changes_nothing(sides):
    """X ⊥ Y | Z and Y ⊥ X | Z are one question: equal, and equal as keys."""
    x, y, z = sides
    one, other = Query(x, y, z), Query(set(y), tuple(x), frozenset(z))
    assert one == other == one.swapped()
    assert hash(one) == hash(other)
    assert len({one, other}) == 1


@given(disjoint(), disjoint())
def test_equal_queries_ask_the_same(a, b):
    """Two queries are equal exactly when their sides are equal as sets, up to swapping."""
    one, two = Query(*a), Query(*b)
    same = one.given == two.given and {one.x, one.y} == {two.x, two.y}
    assert (one == two) is same


@given(disjoint(), st.sampled_from(["xy", "xz", "yz"]))
def test_overlap_is_refused_and_named(sides, which):
    """A variable on two sides is an error that names it."""
    x, y, z = map(list, sides)
    shared = (x if which[0] == "x" else y)[0]
    (y if which[1] == "y" else z).append(shared)
    with pytest.raises(QueryError, match="stands on two sides") as caught:
        Query(x, y, z)
    assert repr(shared) in str(caught.value)


@given(disjoint())
def test_pickles(sides):
    """A query survives the trip to another process."""
    query = Query(*sides)
    assert pickle.loads(pickle.dumps(query)) == query


def test_a_string_is_one_name():
    """A plain string is a variable, never a sequence of letters."""
    assert names("lung") == {"lung"}
    assert Query("lung", "tub").x == {"lung"}


@pytest.mark.parametrize(
    ("sides", "words"),
    [
        (("T", ()), "y is empty"),
        (((), "T"), "x is empty"),
        (("T", 3), "neither a variable name nor a collection"),
        (("T", [3]), r"3 \(int\) is not a variable name"),
        (("T", "A", ["A", "B"]), r"T ⊥ A \| A, B: \['A'\] stands on two sides"),
    ],
)
def test_refusals_show_the_value(sides, words):
    """What cannot be asked is refused with the value and the rule."""
    with pytest.raises(QueryError, match=words):
        Query(*sides)


def test_errors_are_value_errors():
    """Code that knows nothing of mbedu can catch its errors."""
    assert issubclass(MbeduError, ValueError)


def test_a_query_cannot_be_changed():
    """A query is a value."""
    query = Query("T", "A")
    with pytest.raises(AttributeError, match="cannot be changed"):
        query.x = frozenset("B")
