"""The registry: every algorithm can be held beside its paper."""

import inspect
import re
from pathlib import Path

import pytest

from mbedu.errors import AlgorithmError, UnknownName
from mbedu.lines import numbered_lines, tags_of_file
from mbedu.registry import algorithm, all_algorithms, get_algorithm, papers

EVERY = all_algorithms(procedures=True)


@pytest.mark.parametrize("entry", EVERY, ids=lambda a: a.key)
def test_tags_and_pseudocode_agree(entry):
    """Each numbered line of the pseudo-code is tagged in the source, and each tag is such a line."""
    tagged = {n for first, last in tags_of_file(entry.path).values() for n in range(first, last + 1)}
    assert tagged == set(numbered_lines(entry.pseudocode))


@pytest.mark.parametrize("entry", EVERY, ids=lambda a: a.key)
def test_key_is_file_is_function(entry):
    """File = registry key = function name, and the entry says where it is printed and what it assumes."""
    assert Path(entry.path).stem == entry.key == entry.function.__name__
    assert entry.paper in papers
    assert entry.place
    assert entry.title
    assert entry.returns
    assert inspect.getdoc(entry)


@pytest.mark.parametrize("entry", EVERY, ids=lambda a: a.key)
def test_parameters_are_documented(entry):
    """Parameters after the first two are keyword-only, and the docstring names each."""
    parameters = list(inspect.signature(entry.function).parameters.values())[2:]
    assert all(p.kind is p.KEYWORD_ONLY for p in parameters)
    for name in entry.params:
        assert re.search(rf"\b{name}\b", inspect.getdoc(entry)), f"{name} is not in the docstring"


def test_unknown_algorithm_is_suggested():
    """A misspelt key is answered with the nearest one."""
    with pytest.raises(UnknownName, match="did you mean 'gs_m'"):
        get_algorithm("gsm")


def test_registration_refuses_what_would_confuse():
    """Another name than the function's, no numbered line, an unknown paper: refused at once."""
    good = {"title": "X", "paper": "margaritis2009", "place": "here", "pseudocode": "1  return ∅"}

    def mine(ask, T):
        return set()

    with pytest.raises(AlgorithmError, match="use one name"):
        algorithm("yours", **good)(mine)
    with pytest.raises(AlgorithmError, match="no numbered lines"):
        algorithm("mine", **good | {"pseudocode": "return"})(mine)
    with pytest.raises(UnknownName, match="unknown paper"):
        algorithm("mine", **good | {"paper": "nobody1900"})(mine)
