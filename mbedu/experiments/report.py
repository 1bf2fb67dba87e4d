"""The report: every reproduction in a folder on one page, in Markdown and in HTML.

It reads only what the reproductions wrote, so it can be built again at any time, from runs of several
machines put into one folder too.
"""

from __future__ import annotations

import csv
import html
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mbedu.errors import MbeduError
from mbedu.experiments.framework_files import replace_text

__all__ = ["build_report"]

BEYOND = "beyond"  # what is in no paper comes after what is
LONGEST = 60  # rows of a table shown on the page; the file has them all
COLOURS = {
    "reproduced": "#d8f0d8",
    "same ranking, other level": "#fdf2c8",
    "not reproduced": "#f9d9d4",
    "not tried": "#e8e8e8",
}


@dataclass(frozen=True)
class Section:
    """What one reproduction wrote."""

    folder: Path
    summary: dict[str, Any]
    machine: dict[str, Any]
    table: list[list[str]]
    times: list[list[str]]

    @classmethod
    def read(cls, folder: Path) -> Section:
        """Read a folder."""
        summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
        machine = folder / "machine.json"
        if not summary["cells"] or not machine.exists():  # not tried; what else is there is of another run
            return cls(folder, summary, {}, [], [])
        found = json.loads(machine.read_text(encoding="utf-8"))
        return cls(folder, summary, found, _rows(folder / "table.csv"), _rows(folder / "times.csv"))

    @property
    def checks(self) -> list[list[str]]:
        """The rows of the checks, those of times last."""
        return [[c[k] for k in CHECK] for c in (*self.summary["checks"], *self.machine.get("checks", ()))]

    @property
    def counts(self) -> str:
        """How many checks have which verdict."""
        return _counted([self]) or "not tried: data missing"


def _counted(sections: Sequence[Section]) -> str:
    """Count the verdicts, the good ones first."""
    given = [row[CHECK.index("verdict")] for s in sections for row in s.checks]
    return ", ".join(f"{given.count(verdict)} {verdict}" for verdict in COLOURS if verdict in given)


def _rows(path: Path) -> list[list[str]]:
    if not path.exists() or not path.read_text(encoding="utf-8").strip():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def build_report(out: str | Path) -> tuple[Path, Path]:
    """Write `report.md` and `report.html` from every reproduction in a folder, and return their paths."""
    root = Path(out)
    folders = sorted(p.parent for p in root.glob("*/summary.json"))
    if not folders:
        raise MbeduError(f"{str(out)!r} holds no reproduction; run `mbedu reproduce all --out {out}` first")
    sections = sorted((Section.read(f) for f in folders), key=lambda s: s.summary["paper"] == BEYOND)
    markdown, page = root / "report.md", root / "report.html"
    replace_text(markdown, _markdown(sections))
    replace_text(page, _html(sections))
    return markdown, page


def _facts(s: Section) -> list[tuple[str, str]]:
    """Return what has to be known of a run: the reading, seed, time, machine."""
    facts = [
        ("printed in", s.summary["place"]),
        ("protocol", f"{s.summary['mode']}, {s.summary['cells']} cells, seed {s.summary['seed']}"),
        ("reading", f"{s.summary['reading']}: {s.summary['reading_means']}"),
    ]
    others = s.summary["other_readings"]
    if others:
        facts.append(("other readings", "; ".join(f"`--reading {k}`: {v}" for k, v in others.items())))
    if s.machine:
        m = s.machine
        used = f", of which {m['cpu_seconds']:.1f} s of processor time" if "cpu_seconds" in m else ""
        facts.append(("time", f"{m['seconds']:.1f} s (last call); all cells {m['cell_seconds']:.1f} s{used}"))
    facts += [("note", caveat) for caveat in s.summary["caveats"]]
    facts += [("missing data", f"{missing} below the data folder") for missing in s.summary["missing"]]
    facts += [("found", finding) for finding in s.summary.get("findings", ())]
    return facts


def _missing(sections: Sequence[Section]) -> list[str]:
    """Return each file that is missing once, with what needs it; then each check that was not tried."""
    files: dict[str, list[str]] = {}
    for s in sections:
        for missing in s.summary["missing"]:
            files.setdefault(missing, []).append(s.summary["name"])
    lines = [
        f"{file} below the data folder (--data DIR); needed by {', '.join(n)}" for file, n in files.items()
    ]
    for s in sections:
        for check in s.summary["checks"]:
            note = "" if check["note"].startswith("criterion") else check["note"]
            why = "; ".join(text for text in (check["ours"], note) if text)
            if check["verdict"] == "not tried" and why:  # without a reason its data are missing: see above
                lines.append(f"{s.summary['name']}, {check['what']}: {why}")
    return lines


def _machines(sections: Sequence[Section]) -> list[str]:
    """Return each machine and its software once."""
    seen: dict[str, None] = {}
    for s in sections:
        if s.machine:
            m = s.machine
            versions = ", ".join(f"{k} {v}" for k, v in m["versions"].items())
            seen[f"{m['processor']}, {m['cores']} cores, {m['system']}, Python {m['python']}; {versions}"] = (
                None
            )
    return list(seen)


RULE = (
    "Reproduced: the printed number lies in our 95 % interval, and that is narrow enough to confirm it; or "
    "the claim holds by the criterion given. Same ranking, other level: not so, but no printed order is "
    "contradicted and at least half of them are confirmed; or a claim holds in direction only. Not "
    "reproduced: everything else, also what lies in an interval too wide to confirm it (the note says so). "
    "Not tried: data are missing, or the quick protocol leaves it out. A figure's overall verdict is the "
    "worst of its checks, times apart."
)
NOT_TRIED_TITLE = "What is missing or was not tried"
HEAD = ("experiment", "protocol and reading", "checks", "overall", "seconds in cells", "processor seconds")
CHECK = ("what", "printed", "ours", "verdict", "place", "note")


def _overview(sections: Sequence[Section]) -> list[list[str]]:
    rows = [
        [
            s.summary["name"],
            f"{s.summary['mode']}, {s.summary['reading']}, seed {s.summary['seed']}",
            s.counts,
            s.summary["verdict"],
            f"{s.machine['cell_seconds']:.0f}" if s.machine else "",
            f"{s.machine.get('cpu_seconds', 0):.0f}" if s.machine else "",
        ]
        for s in sections
    ]
    wall, busy = (sum(s.machine.get(k, 0.0) for s in sections) for k in ("cell_seconds", "cpu_seconds"))
    return [*rows, ["all", "", _counted(sections), "", f"{wall:.0f}", f"{busy:.0f}"]]


# --- Markdown ------------------------------------------------------------------------------------------


def _markdown(sections: Sequence[Section]) -> str:
    lines = ["# The papers again", "", RULE, "", *_md_table(HEAD, _overview(sections)), ""]
    lines += ["Machine and software:", "", *(f"- {_md(m)}" for m in _machines(sections)), ""]
    if missing := _missing(sections):
        lines += [f"## {NOT_TRIED_TITLE}", "", *(f"- {_md(m)}" for m in missing), ""]
    for s in sections:
        lines += [f"## {s.summary['name']}: {s.summary['title']}", ""]
        lines += [f"- {_md(label)}: {_md(text)}" for label, text in _facts(s)] + [""]
        if s.checks:
            lines += [*_md_table(CHECK, s.checks), ""]
        lines += [f"![{name}]({s.folder.name}/{name})\n" for name in _figures(s)]
        for rows, name in ((s.table, "table.csv"), (s.times, "times.csv")):
            if len(rows) > 1:
                lines += [*_md_table(rows[0], rows[1 : LONGEST + 1]), ""]
                lines += (
                    [f"… {len(rows) - 1} rows in `{s.folder.name}/{name}`", ""]
                    if len(rows) > LONGEST + 1
                    else []
                )
    return "\n".join(lines) + "\n"


def _md(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def _md_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(map(_md, head))} |", f"|{'---|' * len(head)}"]
    return lines + [f"| {' | '.join(map(_md, row))} |" for row in rows]


def _figures(s: Section) -> list[str]:
    names = ("figure.svg", "times.svg") if s.machine else ()
    return [name for name in names if (s.folder / name).exists()]


# --- HTML ----------------------------------------------------------------------------------------------

STYLE = """
body{font:15px/1.45 system-ui,sans-serif;margin:2em auto;max-width:75em;padding:0 1em;color:#222}
table{border-collapse:collapse;margin:.6em 0;font-size:13px}
td,th{border:1px solid #ccc;padding:2px 7px;text-align:left;vertical-align:top}
th{background:#f3f3f3}.scroll{overflow-x:auto}svg{max-width:100%;height:auto}
dt{font-weight:600;float:left;clear:left;width:9em}dd{margin:0 0 .2em 9.5em}
h2{margin-top:2em;border-top:1px solid #ccc;padding-top:.6em}
"""


def _html(sections: Sequence[Section]) -> str:
    e = html.escape
    machines = "".join(f"<li>{e(m)}</li>" for m in _machines(sections))
    parts = [
        "<!doctype html><html lang='en'><head><meta charset='utf-8'><title>The papers again</title>",
        "<meta name='viewport' content='width=device-width, initial-scale=1'>",
        f"<style>{STYLE}</style></head><body><h1>The papers again</h1><p>{e(RULE)}</p>",
        _html_table(HEAD, _overview(sections), links=[s.folder.name for s in sections]),
        f"<p>Machine and software:</p><ul>{machines}</ul>",
    ]
    if missing := _missing(sections):
        parts.append(
            f"<h2>{NOT_TRIED_TITLE}</h2><ul>" + "".join(f"<li>{e(m)}</li>" for m in missing) + "</ul>"
        )
    for s in sections:
        name = s.summary["name"]
        parts.append(f"<h2 id='{e(s.folder.name)}'>{e(name)}: {e(s.summary['title'])}</h2><dl>")
        parts += [f"<dt>{e(label)}</dt><dd>{_code(text)}</dd>" for label, text in _facts(s)]
        parts.append("</dl>")
        if s.checks:
            parts.append(_html_table(CHECK, s.checks))
        parts += [_inline(s.folder / figure) for figure in _figures(s)]
        for rows, label in ((s.table, "table"), (s.times, "times")):
            if len(rows) > 1:
                shown = _html_table(rows[0], rows[1:])
                parts.append(f"<details><summary>{label}: {len(rows) - 1} rows</summary>{shown}</details>")
    return "\n".join(parts) + "</body></html>\n"


def _code(text: str) -> str:
    """Escape a text; what stands between backquotes is code."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(text))


def _html_table(head: Sequence[str], rows: Sequence[Sequence[str]], *, links: Sequence[str] = ()) -> str:
    e = html.escape
    lines = ["<div class='scroll'><table><tr>" + "".join(f"<th>{e(h)}</th>" for h in head) + "</tr>"]
    for i, row in enumerate(rows):
        cells = [_html_cell(v) for v in row]
        if i < len(links):
            cells[0] = f"<td><a href='#{e(links[i])}'>{e(row[0])}</a></td>"
        lines.append("<tr>" + "".join(cells) + "</tr>")
    return "".join(lines) + "</table></div>"


def _html_cell(value: str) -> str:
    colour = COLOURS.get(value)
    style = f" style='background:{colour}'" if colour else ""
    return f"<td{style}>{html.escape(value)}</td>"


def _inline(path: Path) -> str:
    """Return a figure's SVG so that the page is one file."""
    text = path.read_text(encoding="utf-8")
    return f"<figure>{text[text.index('<svg') :]}</figure>"
