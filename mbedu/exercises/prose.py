"""The little Markdown that tasks are written in: paragraphs, lists, `code`, *stress* and fenced blocks."""

from __future__ import annotations

import html
import re
from itertools import chain, zip_longest

__all__ = ["to_html", "to_markdown"]

FENCE = re.compile(r"```(?:\w+)?\n(.*?)\n?```", re.DOTALL)


def to_html(text: str) -> str:
    """Return the text as HTML, everything escaped.

    Examples
    --------
    >>> print(to_html("Give `Z`, with <b>:" + chr(10) * 2 + "- one" + chr(10) + "- two"))
    <p>Give <code>Z</code>, with &lt;b&gt;:</p><ul><li>one</li><li>two</li></ul>
    """
    found = []
    for i, piece in enumerate(FENCE.split(text)):
        if i % 2:
            found.append(f"<pre><code>{html.escape(piece)}</code></pre>")
        else:
            found += [_block(block.strip()) for block in re.split(r"\n\s*\n", piece) if block.strip()]
    return "".join(found)


def _block(block: str) -> str:
    lines = block.splitlines()
    if all(line.startswith(("- ", "  ")) for line in lines):
        items = re.split(r"^- ", block, flags=re.MULTILINE)[1:]
        return "<ul>" + "".join(f"<li>{_inline(item.strip())}</li>" for item in items) + "</ul>"
    return f"<p>{_inline(block)}</p>"


def _inline(text: str) -> str:
    pieces = re.split(r"`([^`]+)`", html.escape(text, quote=False))
    words = (re.sub(r"\*(\S[^*]*)\*", r"<em>\1</em>", piece) for piece in pieces[::2])
    codes = (f"<code>{piece}</code>" for piece in pieces[1::2])
    return "".join(chain.from_iterable(zip_longest(words, codes, fillvalue="")))


def to_markdown(text: str) -> str:
    """Return the text with whatever a notebook would take for a tag made harmless; code stays as it is.

    Examples
    --------
    >>> to_markdown("a <b> and `a < b`")
    'a &lt;b> and `a < b`'
    """
    pieces = re.split(r"(```.*?```|`[^`]+`)", text, flags=re.DOTALL)
    return "".join(p if i % 2 else p.replace("<", "&lt;") for i, p in enumerate(pieces))
