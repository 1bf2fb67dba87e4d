"""What is written is true: examples run, tables are those of the registry, links lead somewhere."""

import doctest
import importlib.util
import re
import textwrap
from pathlib import Path

import nbformat
import pytest

import mbedu as mb
from mbedu.exercises import exercises

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), ROOT / "notebooks/README.md", ROOT / "solutions/README.md"]
)
INSTRUCTORS = ROOT / "docs" / "instructors.md"


def script(name):
    """Return a script of the project as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def writer():
    return script("write_reference")


def renewed(file):
    return f"{file} is out of date; run: python scripts/write_reference.py"


# ------------------------------------------------------------------------------------------ the reference


def test_the_reference_is_up_to_date(writer):
    """docs/reference.md is what the docstrings say."""
    assert (ROOT / "docs/reference.md").read_text(encoding="utf-8") == writer.reference(), renewed(
        "docs/reference.md"
    )


def test_the_reference_has_every_public_name(writer):
    """Every name has one heading, and the list at the top leads to it."""
    text = writer.reference()
    headings = re.findall(r"^### mb\.(\w+)$", text, flags=re.MULTILINE)
    assert sorted(headings) == sorted(mb.__all__)
    anchors = re.findall(r"\]\(#([\w-]+)\)", text)
    assert len(anchors) == len(set(anchors)) == len(mb.__all__)


# ------------------------------------------------------------------------------------------- the README


def test_the_tables_of_the_readme_are_up_to_date(writer):
    """Algorithms, lessons and commands in the README are those that exist."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert writer.readme(text) == text, renewed("README.md")


def test_the_examples_of_the_readme_run(monkeypatch):
    """Each prompt of the README gives what stands below it; further blocks of Python run through."""
    monkeypatch.setenv("TQDM_DISABLE", "1")
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    found = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "README.md", "README.md", 0)
    assert len(found.examples) >= 6
    assert "".join(blocks).count(">>> ") == len(found.examples)
    said = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(found, out=said.append)
    assert runner.failures == 0, "".join(said)


def test_the_commands_of_the_readme_are_understood(writer, monkeypatch):
    """Each `mbedu …` line of the README is one that the command line can read."""
    parser = writer.cli._parser()
    text = (ROOT / "README.md").read_text(encoding="utf-8").split("For example:")[1]
    lines = re.findall(r"^mbedu (.*?)(?:\s+#.*)?$", text, flags=re.MULTILINE)
    assert len(lines) >= 3
    for line in lines:
        assert parser.parse_args(line.split()).command


def test_the_readme_begins_with_five_lines_and_a_picture():
    """What it is and for whom takes five lines; the picture comes right after, and has words of its own."""
    head, _, rest = (ROOT / "README.md").read_text(encoding="utf-8").partition("\n\n")
    said, _, rest = rest.partition("\n\n")
    assert head == "# mbedu"
    assert len(said.splitlines()) == 5
    assert re.match(r"!\[[^\]]{40,}\]\(docs/images/player\.png\)", rest)


def test_the_two_commands_exist():
    """`make lab` and `make test`, and whatever else the pages ask to make, are targets of the Makefile."""
    targets = set(
        re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    )
    asked = {
        word
        for page in PAGES
        for word in re.findall(r"(?:`|^)make (\w[\w-]*)", page.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert {"lab", "test"} <= asked <= targets


# ---------------------------------------------------------------------------------------------- the links


def anchors(text):
    """Return what GitHub makes of the headings of a page."""
    found, seen = set(), {}
    for heading in re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE):
        plain = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        number = seen.get(plain, 0)
        seen[plain] = number + 1
        found.add(f"{plain}-{number}" if number else plain)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    """Every link to a file of the project, and to a heading, has something at its end."""
    text = page.read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL)):
        if link.startswith(("http://", "https://", "mailto:")):
            continue
        file, _, anchor = link.partition("#")
        target = (page.parent / file).resolve() if file else page
        assert target.exists(), f"{page.name} links to {link}"
        if anchor:
            assert anchor in anchors(target.read_text(encoding="utf-8")), f"{page.name} links to {link}"


def test_pictures_are_small():
    """Pictures in docs/ are PNG files of at most 200 KB, and each is used."""
    pictures = sorted((ROOT / "docs" / "images").iterdir())
    assert pictures
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    for path in pictures:
        assert path.read_bytes().startswith(b"\x89PNG"), path
        assert path.stat().st_size <= 200_000, path
        assert path.name in text, path


@pytest.mark.browser
def test_the_picture_can_be_made_again(chromium, tmp_path):
    """The script makes the picture from a real run, as large as the one in docs/."""
    from PIL import Image

    script("make_images").main(tmp_path)
    with Image.open(tmp_path / "player.png") as made, Image.open(ROOT / "docs/images/player.png") as kept:
        assert made.width == kept.width
    assert (tmp_path / "player.png").stat().st_size <= 200_000


# --------------------------------------------------------------------------------------------- the index


def entries():
    return [a for a in mb.all_algorithms(procedures=True) if a.notebook]


@pytest.mark.parametrize("entry", entries(), ids=lambda a: a.key)
def test_the_lesson_of_an_algorithm_is_about_it(entry):
    """The notebook that the index names exists and speaks of the algorithm."""
    book = nbformat.read(ROOT / "notebooks" / f"{entry.notebook}.ipynb", as_version=4)
    text = "\n".join(cell.source for cell in book.cells)
    said = re.search(rf"[\"`]{entry.key}[\"`(]", text) or entry.title.split(",")[0] in text
    assert said or entry.kind == "procedure"


def test_every_algorithm_says_how_it_was_verified():
    """No entry of the index is silent about its verification."""
    assert [a.key for a in mb.all_algorithms() if not a.verified] == []


def claimed(entry, nodes, total):
    """Return how many runs the index says are wrong at this size; None where it says nothing."""
    if re.search(rf"\bright on all DAGs with [\d, and]*\b{nodes}\b", entry.verified):
        return 0
    found = re.search(rf"([\d,]+) of {total:,}(?: runs)? at {nodes}\b", entry.verified)
    return int(found[1].replace(",", "")) if found else None


@pytest.mark.parametrize(
    ("nodes", "total"),
    [(3, 75), pytest.param(4, 2172, marks=pytest.mark.slow)],
)
def test_what_the_index_says_is_what_verify_finds(nodes, total):
    """For each algorithm whose entry speaks of all DAGs with so many nodes, `verify` counts the same."""
    checked = 0
    for entry in mb.all_algorithms():
        if (wrong := claimed(entry, nodes, total)) is not None:
            report = mb.verify(entry.key, mb.all_dags(nodes), progress=False)
            assert (report.tried, report.wrong) == (total, wrong), entry.key
            checked += 1
    assert checked >= 15


# --------------------------------------------------------------------------------- the instructor's page


def test_the_plan_has_every_lesson():
    """The plan has the minutes that the lesson itself promises, and its number of exercises."""
    text = INSTRUCTORS.read_text(encoding="utf-8")
    rows = {r[:2]: r.split("|") for r in re.findall(r"^\| \[?(\d\d .*)$", text, flags=re.MULTILINE)}
    books = {p.name[:2]: p for p in (ROOT / "notebooks").glob("*.ipynb")}
    assert set(books) <= set(rows)
    assert len(rows) == 13
    for number, path in books.items():
        first = nbformat.read(path, as_version=4).cells[0].source
        minutes = re.search(r"\b(Ten|\d+) minutes", first)[1].replace("Ten", "10")
        posed = str(len(exercises(number))) if number != "00" else ""
        assert [rows[number][1].strip(), rows[number][4].strip()] == [minutes, posed], path.name
    for number in rows:
        assert re.search(rf"^### {number} ", text, flags=re.MULTILINE)


def test_the_examples_for_instructors_run():
    """The code of the instructor's page runs; a quiz code made for somebody checks as it says."""
    from mbedu.viz.quiz import digest, seal

    blocks = re.findall(r"```python\n(.*?)```", INSTRUCTORS.read_text(encoding="utf-8"), flags=re.DOTALL)
    quiz, config, grading = (textwrap.dedent(block) for block in blocks)
    run = mb.run("gs", mb.DSeparation([("A", "T")]), target="T", record=True)
    lines = quiz.splitlines()
    named = next(line for line in lines if "student=" in line)
    plain = "\n".join(line for line in lines if line != named)
    exec(plain, {"code": seal(digest(run.trace), [True]), "run": run})
    exec(named, {"mb": mb, "code": seal(digest(run.trace), [True], "Ada"), "run": run})
    compile(config, "nbgrader_config.py", "exec")
    exec(grading, {})


def test_the_steps_for_nbgrader_are_those_of_the_test():
    """The commands on the page include all that tests/test_course.py calls, in the same order."""
    page = re.findall(r"^nbgrader (\w+)", INSTRUCTORS.read_text(encoding="utf-8"), flags=re.MULTILINE)
    called = re.findall(
        r'^    call\("(\w+)"', (ROOT / "tests/test_course.py").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert called
    assert [step for step in page if step in called] == called
