"""The player in a real browser: a page of its own, an exported notebook offline, and live JupyterLab."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from importlib.util import find_spec
from pathlib import Path

import pytest
from browsing import Visit, opened_browser

import mbedu as mb
from mbedu.viz.diff import play_diff
from mbedu.viz.page import page
from mbedu.viz.quiz import check_quiz, questions
from mbedu.viz.sensitivity import sensitivity
from mbedu.viz.twins import play_twins

pytestmark = pytest.mark.browser

HOSTILE = [
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    r"$\alpha$",
    "🦊🔥",
    "x" * 80,
    "ימין לשמאל",
]


@pytest.fixture(scope="module")
def browser(chromium):
    with opened_browser(chromium) as opened:
        yield opened


@pytest.fixture
def visit(browser):
    context = browser.new_context(viewport={"width": 1100, "height": 900})
    yield Visit(context)
    context.close()


@pytest.fixture
def offline(browser):
    context = browser.new_context(viewport={"width": 1100, "height": 900}, offline=True)
    yield Visit(context)
    context.close()


@pytest.fixture(scope="session")
def asia():
    return mb.load_network("asia")


@pytest.fixture(scope="session")
def trace(asia):
    return mb.run("gs_m", mb.DSeparation(asia), target="either", m=2, record=True).trace


def opened(visit, path, selector=".say"):
    visit.page.goto(Path(path).as_uri())
    visit.page.locator(selector).first.wait_for()
    return visit.page


def step_through(page, trace, player="section.player"):
    """Click next through the whole run and compare all places where the sentence stands."""
    frame = page.locator(player).first
    for n, step in enumerate(trace.steps):
        assert frame.locator(".say").text_content() == step.text
        assert frame.locator(".net svg > title").text_content() == step.text
        assert step.text in frame.locator("input[type=range]").get_attribute("aria-valuetext")
        assert frame.locator(".where").text_content() == f"step {n} of {len(trace) - 1}"
        if step.line is not None:
            lit = frame.locator(".line.lit")
            assert lit.count() == 1
            assert lit.locator("span").nth(1).text_content().split()[0].rstrip(":.") == str(step.line)
        if n + 1 < len(trace):
            frame.locator("button.next").click()
    assert frame.locator(".say").get_attribute("aria-live") == "polite"


def test_a_page_of_its_own_steps_through(offline, trace, tmp_path):
    """Clicking next through a saved page says every sentence of the trace, offline, without an error."""
    page = opened(offline, trace.save(tmp_path / "x.html"))
    step_through(page, trace)
    asked = len(trace.questions)
    assert page.locator(".tests tbody tr").count() == asked
    assert (
        page.locator(".count").text_content().startswith(f"{asked} tests so far; largest conditioning set 6")
    )
    assert offline.wrong == []
    assert offline.abroad() == []


def test_the_nodes_show_the_state(offline, trace, tmp_path):
    """At every step the nodes drawn as members are those of the trace's set."""
    page = opened(offline, trace.save(tmp_path / "x.html"))
    for n in range(len(trace) - 1):
        shown = page.locator(".net g.node.in .label").all_text_contents()
        assert sorted(shown) == sorted(trace.state(n).get("S", ()))
        page.locator("button.next").click()


def test_levels_and_keys(offline, trace, tmp_path):
    """Change and phase skip what they should; arrows, Home, End, Space and Esc work when focused."""
    page = opened(offline, trace.save(tmp_path / "x.html"))
    page.locator("select").first.select_option("change")
    seen = []
    while page.locator(".where").text_content() != f"step {len(trace) - 1} of {len(trace) - 1}":
        page.locator("button.next").click()
        seen.append(page.locator(".say").text_content())
    assert seen == [
        s.text for s in trace if s.kind == "returned" or (s.kind == "changed" and (s.added or s.removed))
    ]
    page.locator("select").first.select_option("phase")
    page.locator("button.first").click()
    page.locator("button.next").click()
    assert page.locator(".say").text_content() == "Phase: grow."
    page.locator("select").first.select_option("test")
    page.locator("section.player").focus()
    page.keyboard.press("Home")
    for key, text in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", -1), ("Home", 0)):
        page.keyboard.press(key)
        assert page.locator(".say").text_content() == trace[text].text
    page.keyboard.press("Space")
    page.locator("button[aria-label=Pause]").wait_for()
    page.locator(".where", has_text="step 2 of").wait_for()
    page.keyboard.press("Escape")
    page.locator("button[aria-label=Play]").wait_for()
    assert page.evaluate("document.activeElement === document.body")
    here = page.locator(".where").text_content()
    page.keyboard.press("ArrowRight")  # nobody is focused, so nobody listens
    assert page.locator(".where").text_content() == here
    assert offline.wrong == []


def go_to(page, n):
    page.locator("input[type=range]").first.evaluate(
        "(slider, n) => { slider.value = n; slider.dispatchEvent(new Event('input')); }", n
    )


def test_why_lights_paths(offline, trace, asia, tmp_path):
    """Why? lights the active path of the oracle, and a click on a blocked path shows where it is blocked."""
    page = opened(offline, trace.save(tmp_path / "x.html"))
    oracle = mb.DSeparation(asia)
    lit = page.locator(".net g.lit .label")
    for n, step in enumerate(trace.steps):
        if step.kind != "asked":
            continue
        go_to(page, n)
        if page.locator(".why").is_hidden():
            page.locator(".whybutton").click()
        told = oracle.explain(step.query)
        assert page.locator(".told p").first.text_content() == told["text"]
        if step.verdict.independent:
            page.locator(".told .path").last.click()
            assert sorted(lit.all_text_contents()) == sorted(told["blocked"][-1]["path"])
            assert page.locator(".net g.blocker .label").text_content() == told["blocked"][-1]["node"]
        else:
            assert sorted(lit.all_text_contents()) == sorted(told["path"])
    assert offline.wrong == []


def test_why_shows_tables(offline, asia, tmp_path):
    """An exact joint shows its two conditional tables, a data test its counts with what was expected."""
    from mbedu.citests.discrete import G2

    exact = mb.run("gs", mb.ExactJoint(asia), target="either", record=True).trace
    page = opened(offline, exact.save(tmp_path / "exact.html"))
    go_to(page, next(n for n, s in enumerate(exact) if s.kind == "asked" and not s.verdict.independent))
    page.locator(".whybutton").click()
    assert page.locator(".told table thead th").count() == 2
    data = G2(asia.sample(500, seed=1), 0.05)
    sampled = mb.run("gs", data, target="either", record=True).trace
    page = opened(offline, sampled.play(graph=asia).save(tmp_path / "data.html"))
    n, step = next((n, s) for n, s in enumerate(sampled) if s.kind == "asked" and s.query.given)
    go_to(page, n)
    page.locator(".whybutton").click()
    told = data.explain(step.query)
    cells = page.locator(".told table").first.locator("td").all_text_contents()
    assert [int(c.split()[0]) for c in cells] == [n for row in told["tables"][0]["observed"] for n in row]
    assert page.locator(".query").text_content().count("df") == 1
    assert offline.wrong == []


def test_ten_players_on_a_page(offline, trace, asia, tmp_path):
    """Ten players live side by side; moving one moves no other."""
    other = mb.run("iamb", mb.ExactJoint(asia), target="dysp", record=True).trace
    path = tmp_path / "ten.html"
    path.write_text(
        page("ten", *[(trace if k % 2 else other).play().html for k in range(10)]), encoding="utf-8"
    )
    opened_page = opened(offline, path)
    players = opened_page.locator("section.player")
    players.nth(9).wait_for()
    assert players.count() == 10
    for k in range(10):
        for _ in range(k):
            players.nth(k).locator("button.next").click()
    for k in range(10):
        assert players.nth(k).locator(".say").text_content() == (trace if k % 2 else other)[k].text
    assert offline.wrong == []


def answer_all(page, wanted):
    for right in wanted:
        page.locator(".option").nth(right).click()
        page.locator(".continue").click()
    return page.locator(".sealed").text_content()


def test_quiz_to_full_score_and_a_wrong_answer(offline, trace, tmp_path):
    """Right answers give a full score, a wrong one is shown and costs a point; the codes check."""
    asked = list(questions(trace))
    page = opened(offline, trace.quiz(most=None, student="Ada").save(tmp_path / "quiz.html"), ".option")
    code = answer_all(page, [q["right"] for q in asked])
    assert check_quiz(code, trace, student="Ada").right == len(asked)
    page = opened(offline, trace.quiz(most=None).save(tmp_path / "quiz.html"), ".option")
    first = asked[0]
    assert page.locator(".asking").text_content() == first["ask"]
    assert trace[first["step"]].text not in page.locator("section.player").text_content()
    page.locator("section.player").focus()
    page.keyboard.press("End")  # does not run ahead of the question
    assert page.locator(".option").count() == len(first["options"])
    wrong = 1 - first["right"]
    page.locator(".option").nth(wrong).click()
    assert page.locator(".reply").text_content().startswith("Not so. " + trace[first["step"]].text)
    assert page.locator(".told").is_visible()
    page.locator(".continue").click()
    result = check_quiz(answer_all(page, [q["right"] for q in asked[1:]]), trace)
    assert (result.right, result.answers[0]) == (len(asked) - 1, False)
    assert offline.wrong == []


def test_twins_and_sensitivity_work(offline, trace, asia, tmp_path):
    """Twins go in lock step and mark the wrong verdict; the sliders show the stored runs."""
    from mbedu.citests.discrete import G2

    data = mb.run("gs_m", G2(asia.sample(200, seed=0), 0.05), target="either", m=2, record=True).trace
    wrong = next(n for n, s in enumerate(data) if s.kind == "asked" and s.verdict.independent)
    page = opened(
        offline, play_twins(trace, data, first_wrong=wrong, caused=[wrong + 1]).save(tmp_path / "t.html")
    )
    page.locator(".tofirst").click()
    assert page.locator(".column.wrong .say").text_content() == data[wrong].text
    assert "first wrong verdict" in page.locator(".column.wrong .flag").text_content()
    page.locator("button.last").click()
    assert page.locator(".say").all_text_contents() == [trace[-1].text, data[-1].text]
    shown = sensitivity("gs", asia, "either", ns=[50, 500], alphas=[0.01, 0.05])
    page = opened(offline, shown.save(tmp_path / "s.html"))
    for k, n in enumerate(shown.ns):
        go_to(page, k)
        assert page.locator(".say").text_content() == shown.say(n, 0.05, shown.runs[n, 0.05])
    assert offline.wrong == []


def test_a_diff_opens_where_it_is_told_and_a_side_that_has_not_started_is_drawn(
    offline, trace, asia, tmp_path
):
    """The film opens at the given step; nodes of a side that waits for its start have their shapes."""
    other = mb.run("iamb", mb.DSeparation(asia), target="either", record=True).trace
    page = opened(offline, play_diff(trace, other, start=9).save(tmp_path / "d.html"))
    assert page.locator(".say").first.text_content() == trace[9].text
    page.locator("button.first").click()
    assert page.locator(".say").all_text_contents() == [trace[0].text, other[0].text]
    other = mb.run(
        "iamb", mb.DSeparation(asia), target="dysp", record=True
    ).trace  # starts for another target
    page = opened(offline, play_diff(trace, other).save(tmp_path / "d.html"))
    page.locator("button.last").click()
    page.locator("button.first").click()
    late = page.locator(".column").nth(1)
    assert late.locator(".flag").text_content() == "not started"
    assert late.locator(".say").text_content() == ""
    assert late.locator(".whybutton").is_hidden()
    assert len([d for d in late.locator(".net .shape").all() if d.get_attribute("d")]) == len(asia.variables)
    assert offline.wrong == []


def test_hostile_names_do_nothing_and_are_legible(offline, tmp_path):
    """Names that look like code run nothing, on the player, in the quiz, in the list and in the reasons."""
    edges = [("T", name) for name in HOSTILE]
    hostile = mb.run("gs", mb.DSeparation(edges), target="T", record=True).trace
    page = opened(offline, hostile.save(tmp_path / "x.html"))
    step_through(page, hostile)
    assert {t.split(":")[0] for t in page.locator(".net g.node > title").all_text_contents()} >= {"T", "🦊🔥"}
    for n in hostile.questions[:6]:
        go_to(page, hostile.steps.index(n))
        if page.locator(".why").is_hidden():
            page.locator(".whybutton").click()
    page = opened(offline, hostile.quiz().save(tmp_path / "q.html"), ".option")
    answer_all(page, [q["right"] for q in questions(hostile)])
    assert page.evaluate("document.images.length") == 0
    assert offline.wrong == []


def test_five_hundred_steps_are_smooth(offline, tmp_path):
    """Of a film with over 500 steps and 100 nodes a step takes less than 50 ms to draw on average."""
    names = [f"variable_{i}" for i in range(100)]
    edges = dict.fromkeys(
        (names[i], names[j]) for i in range(100) for j in (2 * i + 1, 2 * i + 2, i + 9) if j < 100
    )
    large = mb.run(
        "gs", mb.DSeparation(list(edges), variables=names), target="variable_40", record=True
    ).trace
    assert len(large) > 500
    page = opened(offline, large.save(tmp_path / "x.html"))
    spent = page.evaluate(
        """() => { const host = document.querySelector('.mbedu-player');
             const next = host.shadowRoot.querySelector('button.next');
             const start = performance.now();
             for (let i = 0; i < 500; i++) { next.click(); next.getBoundingClientRect(); }
             return performance.now() - start; }"""
    )
    assert page.locator(".say").text_content() == large[500].text
    assert spent / 500 < 50


def test_narrow_pages_do_not_scroll_sideways(browser, trace, tmp_path):
    """At 700 and at 360 pixels nothing sticks out of the page; a projector scale enlarges the letters."""
    for width, scale in ((700, 1.0), (360, 1.0), (1100, 2.0)):
        context = browser.new_context(viewport={"width": width, "height": 800})
        page = opened(Visit(context), trace.play(scale=scale).save(tmp_path / "x.html"))
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        size = page.locator("section.player").evaluate("e => getComputedStyle(e).fontSize")
        assert float(size.removesuffix("px")) == pytest.approx(16 * scale)
        context.close()


def test_reduced_motion_is_respected(browser, trace, tmp_path):
    """Whoever asks for less motion gets no transition."""
    for wish, expected in (("reduce", "0s"), ("no-preference", "0.18s")):
        context = browser.new_context(reduced_motion=wish)
        page = opened(Visit(context), trace.save(tmp_path / "x.html"))
        duration = page.locator(".net .shape").first.evaluate("e => getComputedStyle(e).transitionDuration")
        assert duration.split(",")[0] == expected
        context.close()


def test_without_scripts_the_words_remain(browser, trace, tmp_path):
    """A page without scripts, like an untrusted notebook, shows the transcript and no code."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(trace.save(tmp_path / "x.html").as_uri())
    assert page.locator(".mbedu-words").text_content() == trace.transcript()
    assert "function" not in page.locator("main").inner_text()
    context.close()


# --- accessibility -----------------------------------------------------------------------------------


def axe_source():
    """Return axe-core's script: a path in MBEDU_AXE, or the copy that axe-playwright-python brings."""
    if path := os.environ.get("MBEDU_AXE"):
        return Path(path).read_text(encoding="utf-8")
    found = find_spec("axe_playwright_python")
    if found and found.submodule_search_locations:
        return (Path(found.submodule_search_locations[0]) / "axe.min.js").read_text(encoding="utf-8")
    pytest.skip("no axe-core: install axe-playwright-python, or set MBEDU_AXE to an axe.min.js")


def test_axe_finds_no_violation(offline, trace, asia, tmp_path):
    """axe-core finds nothing wrong in the player, the open reason, the quiz, twins and sliders."""
    source = axe_source()
    made = {
        "play": (trace.play(), ".say"),
        "quiz": (trace.quiz(), ".option"),
        "twins": (play_twins(trace, trace, first_wrong=11, caused=[12]), ".say"),
        "grid": (sensitivity("gs", asia, "either", ns=[50, 500], alphas=[0.01, 0.05]).play(), ".say"),
    }
    for name, (player, selector) in made.items():
        page = opened(offline, player.save(tmp_path / f"{name}.html"), selector)
        if name in ("play", "twins"):
            for n in (0, 4, 11, 21, 24):
                go_to(page, n)
                if page.locator(".whybutton").first.is_visible() and page.locator(".why").first.is_hidden():
                    page.locator(".whybutton").first.click()
                assert violations(page, source) == []
        assert violations(page, source) == []


def violations(page, source):
    page.wait_for_timeout(250)  # colours in transition are no colours to judge
    page.evaluate(source)
    found = page.evaluate("async () => (await axe.run(document)).violations")
    return [(v["id"], [n["target"] for n in v["nodes"]][:4], v["nodes"][0]["failureSummary"]) for v in found]


# --- notebooks ---------------------------------------------------------------------------------------

CELL = """import mbedu as mb
asia = mb.load_network("asia")
run = mb.run("gs_m", mb.DSeparation(asia), target="either", m=2, record=True)
run"""


def notebook(path, cells=(CELL,)):
    import nbformat

    book = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(c, id=f"c{i}") for i, c in enumerate(cells)]
    )
    book.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(book, path)
    return book


def executed(path):
    import nbclient
    import nbformat

    book = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(book, timeout=120, resources={"metadata": {"path": str(path.parent)}}).execute()
    return book


@pytest.fixture
def kernels(monkeypatch):
    """Let kernels find this very mbedu, wherever it is."""
    root = str(Path(mb.__file__).parents[1])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")])))


def test_an_exported_notebook_works_offline(offline, trace, kernels, tmp_path):
    """Executed twice a cell has the same bytes; exported it steps through with the network off."""
    pytest.importorskip("nbconvert")
    from nbconvert import HTMLExporter

    path = tmp_path / "n.ipynb"
    notebook(path, [CELL, "run.trace.quiz()"])
    first, second = executed(path), executed(path)
    assert [c.outputs for c in first.cells] == [c.outputs for c in second.cells]
    assert first.cells[0].outputs[0].data["text/html"] == trace.play().html
    body, _ = HTMLExporter(
        mathjax_url="", require_js_url="", jquery_url="", mermaid_js_url=""
    ).from_notebook_node(first)
    target = tmp_path / "n.html"
    target.write_text(body, encoding="utf-8")
    page = opened(offline, target)
    step_through(page, trace)
    page.locator(".option").first.wait_for()
    assert offline.wrong == []
    assert offline.abroad() == []


@contextlib.contextmanager
def lab(folder):
    """Run JupyterLab in a folder and yield its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    settings = folder / "settings"
    quiet = settings / "@jupyterlab" / "apputils-extension" / "notification.jupyterlab-settings"
    quiet.parent.mkdir(parents=True)
    quiet.write_text('{"fetchNews": "false", "checkForUpdates": false}', encoding="utf-8")
    options = [
        f"--ServerApp.port={port}", "--ServerApp.ip=127.0.0.1", "--ServerApp.token=", "--ServerApp.password=",
        "--ServerApp.allow_root=True", "--ServerApp.open_browser=False", f"--ServerApp.root_dir={folder}",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate", "--LabApp.news_url=",
        f"--LabApp.user_settings_dir={settings}", f"--LabApp.workspaces_dir={folder / 'workspaces'}",
        "--LabApp.extension_manager=readonly",
    ]  # fmt: skip
    env = {
        **os.environ,
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_DATA_DIR": str(folder / "data"),
    }
    log = (folder / "log").open("w")
    server = subprocess.Popen([sys.executable, "-m", "jupyterlab", *options], env=env, stdout=log, stderr=log)
    try:
        address = f"http://127.0.0.1:{port}"
        for _ in range(240):
            with (
                contextlib.suppress(OSError),
                urllib.request.urlopen(f"{address}/api/status", timeout=5) as answer,
            ):
                json.load(answer)
                break
            if server.poll() is not None:
                pytest.fail("JupyterLab did not start:\n" + (folder / "log").read_text())
            time.sleep(0.25)
        yield address
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        log.close()


@pytest.fixture(scope="module")
def labs(tmp_path_factory):
    """A running JupyterLab and its folder; kernels find this very mbedu, wherever it is."""
    pytest.importorskip("jupyterlab")
    folder = tmp_path_factory.mktemp("lab")
    with pytest.MonkeyPatch.context() as patch:
        root = str(Path(mb.__file__).parents[1])
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")])))
        with lab(folder) as address:
            yield address, folder


def enter(visit, labs, name):
    """Open a notebook of the running JupyterLab and return its cells."""
    visit.page.goto(f"{labs[0]}/lab/tree/{name}?reset", timeout=60_000)
    cells = visit.page.locator(".jp-Notebook .jp-Cell")
    cells.first.wait_for(timeout=60_000)
    visit.page.locator("#jp-main-statusbar", has_text="| Idle").wait_for(timeout=60_000)
    return cells


def execute(page, cell=0):
    page.locator(".jp-Notebook .jp-Cell .cm-content").nth(cell).click()
    page.keyboard.press("Control+Enter")


def test_live_jupyterlab(visit, labs, trace):
    """In JupyterLab the player steps through, its keys ("a" too) are its own, and again gives the same."""
    notebook(labs[1] / "n.ipynb")
    cells, page = enter(visit, labs, "n.ipynb"), visit.page
    execute(page)
    page.locator("section.player .say").first.wait_for(timeout=60_000)
    count = cells.count()
    step_through(page, trace)
    page.locator("section.player .title").first.click()
    for key in ("a", "b", "d", "d", "x", "m"):
        page.keyboard.press(key)
    page.keyboard.press("Home")
    assert page.locator(".say").first.text_content() == trace[0].text
    page.keyboard.press("ArrowRight")
    assert page.locator(".say").first.text_content() == trace[1].text
    page.keyboard.press("Space")
    page.locator("button[aria-label=Pause]").first.wait_for()
    page.keyboard.press("Space")
    assert cells.count() == count
    assert page.locator(".jp-Notebook .jp-CodeCell").count() == count
    before = page.locator(".mbedu-player").first.evaluate("h => h.outerHTML")
    page.keyboard.press("Escape")
    execute(page)
    page.locator(".jp-InputPrompt", has_text="[2]:").first.wait_for(timeout=60_000)
    page.locator("section.player .say").first.wait_for(timeout=60_000)
    assert page.locator(".mbedu-player").first.evaluate("h => h.outerHTML") == before
    assert visit.wrong == []
    assert visit.abroad() == []


def test_an_untrusted_notebook_shows_the_words(visit, labs, trace, kernels):
    """Opened by somebody who does not trust it, the output is the transcript, without any script text."""
    import nbformat

    path = labs[1] / "untrusted.ipynb"
    notebook(path)
    nbformat.write(executed(path), path)
    enter(visit, labs, "untrusted.ipynb")
    output = visit.page.locator(".jp-OutputArea-output").first
    output.wait_for()
    assert trace.transcript() in output.text_content()
    assert "base64" not in output.inner_text()
    assert visit.page.locator("section.player").count() == 0
    assert visit.wrong == []


EDITOR = """from mbedu.viz.editor import Editor
Editor([("A", "T"), ("T", "B"), ("C", "B")], target="T")"""


def test_the_editor_runs_live(visit, labs):
    """In JupyterLab an edge typed into the editor is drawn, and Run shows the player of the new network."""
    notebook(labs[1] / "editor.ipynb", [EDITOR])
    enter(visit, labs, "editor.ipynb")
    page = visit.page
    execute(page)
    text = page.locator(".widget-textarea textarea").first
    text.wait_for(timeout=60_000)
    text.fill("A -> T\nT -> B\nC -> B\nD -> T")
    page.locator("button", has_text="Apply text").click()
    page.locator(".widget-html svg text", has_text="D").first.wait_for()
    page.locator("button", has_text="Run").last.click()
    page.locator("section.player button.last").first.click(timeout=60_000)
    assert page.locator(".say").first.text_content() == "GS returns {A, B, C, D}."
    assert visit.wrong == []
