"""The piece of HTML that holds a player: host, packed film, script; and the page that stands alone.

Nothing is fetched: style, script and film are inside. Everything lives in a shadow root, so neither
the page's style nor its mathematics touches it. The script comes as base64 data, so that a
sanitiser which strips tags leaves the words of the run and no script text. There are no ids to draw by
lot: the same film always gives the same bytes.
"""

from __future__ import annotations

import base64
import html
import json
import zlib
from functools import lru_cache
from pathlib import Path
from typing import Any

__all__ = ["embed", "page", "script"]

HERE = Path(__file__).parent
PARTS = {
    "play": ("core.js", "view.js", "player.js"),
    "quiz": ("core.js", "view.js", "player.js", "quiz.js"),
    "pair": ("core.js", "view.js", "player.js", "pair.js"),
    "grid": ("core.js", "view.js", "player.js", "grid.js"),
}
MOST_WORDS = 20_000


@lru_cache
def script(kind: str) -> str:
    """Return the JavaScript for one kind of player, with the style sheet inside."""
    style = "".join(line.strip() for line in _read("player.css").splitlines())
    body = "\n".join(_bare(_read(part)) for part in (*PARTS[kind], "boot.js"))
    return f'(()=>{{"use strict";const CSS={json.dumps(style)};\n{body}\n}})();'


def _read(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def _bare(source: str) -> str:
    """Leave out indentation and whole-line comments: a third of the size, and still one line a line."""
    rows = (row.strip() for row in source.splitlines())
    return "\n".join(row for row in rows if row and not row.startswith("//"))


def embed(film: dict[str, Any], words: str, *, kind: str = "play", scale: float = 1.0) -> str:
    """Return the HTML for a notebook's output: `words` is what a reader without scripts sees.

    Examples
    --------
    >>> "https:" in embed({"title": "nothing", "steps": []}, "words")
    False
    """
    packed = zlib.compress(json.dumps(film, ensure_ascii=False, separators=(",", ":")).encode(), 9)
    code = base64.b64encode(script(kind).encode()).decode()
    style = f' style="--mbedu-scale:{scale:g}"' if scale != 1 else ""
    return (
        f'<div class="mbedu-player tex2jax_ignore mathjax_ignore" data-kind="{kind}"{style} '
        f'data-film="{base64.b64encode(packed).decode()}">'
        f'<pre class="mbedu-words">{html.escape(shortened(words))}</pre>'
        f'<script src="data:text/javascript;base64,{code}"></script></div>'
    )


def shortened(words: str, most: int = MOST_WORDS) -> str:
    """Leave out the middle of a very long transcript, and say so."""
    if len(words) <= most:
        return words
    lines = words.splitlines()
    head, tail, size = [], [], 0
    while lines and size + len(lines[0]) < most * 3 // 4:
        size += len(lines[0]) + 1
        head.append(lines.pop(0))
    while lines and size + len(lines[-1]) < most:
        size += len(lines[-1]) + 1
        tail.append(lines.pop())
    gap = f"… {len(lines)} steps are left out here; trace.transcript() has them all …"
    return "\n".join([*head, gap, *reversed(tail)])


def page(title: str, *players: str, intro: str = "") -> str:
    """Return a whole page that works from a file, offline."""
    words = f"<p>{html.escape(intro)}</p>" if intro else ""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(title)}</title>"
        "<style>body{font-family:system-ui,sans-serif;margin:1rem auto;max-width:90rem;padding:0 1rem}"
        "pre{white-space:pre-wrap}</style></head>\n"
        f"<body><main><h1>{html.escape(title)}</h1>{words}\n"
        + "\n".join(players)
        + "\n</main></body></html>\n"
    )
