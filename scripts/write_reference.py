"""Write docs/reference.md from the docstrings, and the README's tables from what they list.

    python scripts/write_reference.py

Nothing in them is typed by hand, and a test fails when they are out of date.
"""

# ruff: noqa: SLF001  # it looks where no public name leads: homes of names, commands of the parser

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mbedu as mb
from mbedu import cli
from mbedu.registry import all_algorithms

ROOT = Path(__file__).parents[1]
GROUPS: dict[str, tuple[str, ...]] = {  # heading: modules, or single names; the first that fits decides
    "Problems and networks": ("networks", "problem", "problems"),
    "Judges": ("query", "judge", "oracles", "citests"),
    "Running": ("ask", "varset", "registry", "running", "trace", "errors"),
    "Theory": ("theory",),
    "Verify": ("verify",),
    "Data": ("compare", "estimators", "experiments", "selectors"),
    "Course": ("exercises", "viz.quiz", "course"),
    "Pictures": ("viz",),
}
ORDER = [
    "Problems and networks", "Judges", "Running", "Theory", "Verify", "Data", "Pictures", "Course",
]  # fmt: skip
HEAD = """# Reference

The public names of mbedu, made from their docstrings by `python scripts/write_reference.py`. Every example
is run by the tests. `import mbedu as mb` gives them all; whatever else is in the package may change.
"""


def reference() -> str:
    """Return the whole reference as Markdown."""
    grouped: dict[str, list[str]] = {heading: [] for heading in ORDER}
    for name in sorted(mb.__all__, key=str.lower):
        grouped[_group(name)].append(name)
    parts = [HEAD]
    for heading, names in grouped.items():
        listed = ", ".join(f"[`{n}`](#{_anchor(n, names)})" for n in names)
        parts.append(f"- **{heading}:** {listed}")
    for heading, names in grouped.items():
        parts.append(f"\n## {heading}")
        parts += [_entry(name) for name in names]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(parts)).rstrip() + "\n"


def _group(name: str) -> str:
    home = mb._HOME[name].removeprefix("mbedu.")
    for heading, modules in GROUPS.items():
        if any(home == m or home.startswith(m + ".") for m in modules):
            return heading
    raise SystemExit(f"{name} lives in mbedu.{home}; give that module a group in scripts/write_reference.py")


def _anchor(name: str, names: list[str]) -> str:
    """Return what GitHub makes of the heading "mb.name"; Run and run are alike to it, so one is numbered."""
    alike = [n for n in names if n.lower() == name.lower()]
    return f"mb{name.lower()}" + (f"-{alike.index(name)}" if alike.index(name) else "")


def _entry(name: str) -> str:
    value = getattr(mb, name)
    source = f"{inspect.getmodule(value).__name__.replace('.', '/')}.py"
    if not (ROOT / source).exists():
        source = source.removesuffix(".py") + "/__init__.py"
    kind = "class " if inspect.isclass(value) else ""
    head = f"\n### mb.{name}\n\n```python\n{kind}mb.{name}{_signature(value)}\n```\n"
    body = "\n".join(_markdown(_doc(value)))
    methods = _methods(value) if inspect.isclass(value) else ""
    return f"{head}\n{body}\n{methods}\nIn [{source}](../{source})."


def _doc(value: Any) -> str:
    if isinstance(value.__doc__, str):
        return inspect.getdoc(value) or ""
    source = ast.parse(textwrap.dedent(inspect.getsource(value)))  # Algorithm shows its function's docstring
    return ast.get_docstring(source.body[0]) or ""  # type: ignore[arg-type]


def _signature(value: Any) -> str:
    """Return the parameters and defaults; the types are told in the text."""
    if inspect.isclass(value) and (getattr(value, "_is_protocol", False) or issubclass(value, Exception)):
        return ""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    bare = [p.replace(annotation=inspect.Parameter.empty) for n, p in found.parameters.items() if n != "self"]
    text = str(found.replace(parameters=bare, return_annotation=inspect.Signature.empty))
    text = re.sub(r"<built-in function (\w+)>", r"\1", text)
    return re.sub(r"<factory>|<[^<>]* at 0x[0-9a-f]+>", "…", text)


def _methods(cls: type) -> str:
    rows = []
    for name, found in inspect.getmembers(cls):
        function = found.fget if isinstance(found, property) else found
        ours = getattr(function, "__module__", None) or ""
        if name.startswith("_") or not ours.startswith("mbedu") or inspect.isclass(found):
            continue
        doc = inspect.getdoc(getattr(cls, name)) or ""
        first = " ".join(doc.split("\n\n")[0].split()).replace("|", "\\|")
        called = "" if isinstance(found, property) else _signature(found).replace("|", "\\|")
        rows.append(f"| `.{name}{called}` | {_escaped(first)} |")
    return "\n| | |\n|---|---|\n" + "\n".join(rows) + "\n" if rows else ""


# --- numpydoc to Markdown ------------------------------------------------------------------------------


def _markdown(doc: str) -> Iterator[str]:
    for heading, lines in _sections(doc):
        if heading:
            yield f"**{heading}**\n"
        if heading in ("Parameters", "Attributes", "Returns", "Raises", "Yields"):
            yield from _items(lines)
        else:
            yield from _prose(lines)


def _sections(doc: str) -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = [("", [])]
    lines = doc.splitlines()
    for line, following in zip(lines, [*lines[1:], ""][: len(lines)], strict=True):
        if re.fullmatch(r"-{3,}", following.strip()) and line.strip():
            found.append((line.strip(), []))
        elif not (re.fullmatch(r"-{3,}", line.strip()) and not found[-1][1]):
            found[-1][1].append(line)
    return found


def _items(lines: list[str]) -> Iterator[str]:
    items: list[tuple[str, list[str]]] = []
    for line in lines:
        if line.strip() and not line.startswith(" "):
            items.append((line, []))
        elif items:
            items[-1][1].append(line.strip())
    for head, text in items:
        name, _, kind = head.partition(" : ")
        told = " ".join(filter(None, text))
        yield (
            f"- `{name}`" + (f" ({_escaped(kind)})" if kind else "") + (f": {_escaped(told)}" if told else "")
        )
    yield ""


def _prose(lines: list[str]) -> Iterator[str]:
    """Yield paragraphs as they are, and examples as code."""
    for block in re.split(r"\n\s*\n", "\n".join(lines).strip("\n")):
        if not block.strip():
            continue
        if block.lstrip().startswith(">>>"):
            yield f"```python\n{textwrap.dedent(block)}\n```\n"
        elif all(line.startswith("    ") for line in block.splitlines()):
            yield f"```\n{textwrap.dedent(block)}\n```\n"
        else:
            yield _escaped(block) + "\n"


def _escaped(text: str) -> str:
    text = text.replace("``", "`")
    return "".join(
        part if i % 2 else re.sub(r"<(?=[\w/])", "&lt;", part)
        for i, part in enumerate(re.split(r"(`[^`]*`)", text))
    )


# --- the README's tables -------------------------------------------------------------------------------


def lessons() -> str:
    """Return the table of the lessons: number, title and minutes, from the first cell of each."""
    import nbformat

    rows = ["| lesson | minutes |", "|---|---|"]
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        text = nbformat.read(path, as_version=4).cells[0].source
        title = re.search(r"^# (.*)$", text, flags=re.MULTILINE)
        minutes = re.search(r"\b(Ten|\d+) minutes", text)
        if title is None or minutes is None:
            raise SystemExit(f"{path.name}: its first cell needs a title and its minutes")
        name = title[1] if title[1][:2].isdigit() else f"{path.name[:2]} {title[1]}"
        rows.append(f"| [{name}](notebooks/{path.name}) | {minutes[1].replace('Ten', '10')} |")
    return "\n".join(rows)


def commands() -> str:
    """Return what the command line offers, a line a command."""
    parser = cli._parser()
    (choices,) = (a for a in parser._actions if hasattr(a, "_choices_actions"))
    listed = [(c.dest, c.help or "") for c in choices._choices_actions]
    wide = max(len(name) for name, _ in listed)
    return "```\n" + "\n".join(f"mbedu {name:{wide}}  {text}" for name, text in listed) + "\n```"


def tables() -> dict[str, str]:
    """Return the parts of the README that stand between markers."""
    return {
        "algorithms": cli.index_table(all_algorithms(), markdown=True),
        "lessons": lessons(),
        "commands": commands(),
    }


def readme(text: str) -> str:
    """Return the README with its tables renewed; a marker that lacks is an error."""
    for name, table in tables().items():
        pattern = rf"(<!-- {name} -->\n).*?(\n<!-- /{name} -->)"
        text, done = re.subn(pattern, lambda m, t=table: f"{m[1]}\n{t}\n{m[2]}", text, flags=re.DOTALL)
        if done != 1:
            raise SystemExit(f"README.md needs one pair of markers <!-- {name} --> … <!-- /{name} -->")
    return text


def main() -> None:
    """Write both files."""
    out = ROOT / "docs" / "reference.md"
    out.parent.mkdir(exist_ok=True)
    out.write_text(reference(), encoding="utf-8")
    page = ROOT / "README.md"
    page.write_text(readme(page.read_text(encoding="utf-8")), encoding="utf-8")
    print(f"wrote {out.relative_to(ROOT)} ({len(mb.__all__)} names) and the tables of README.md")


if __name__ == "__main__":
    main()
