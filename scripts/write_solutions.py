"""Write solutions/solutions.md: every task with its hints and a solution, for instructors.

python scripts/write_solutions.py            writes the file
python scripts/write_solutions.py --check    only says whether it is up to date
"""

from __future__ import annotations

import sys
from pathlib import Path

from mbedu.exercises import Exercise, exercises

OUT = Path(__file__).parents[1] / "solutions" / "solutions.md"
HEAD = """# Solutions

For instructors. This page is written by `python scripts/write_solutions.py` from mbedu/exercises; change the
exercises there, not here. Every solution passes its own check (tests/test_exercises.py), and where several
answers are right this is one of them.
"""


def document() -> str:
    """Return the whole page."""
    parts, lesson = [HEAD], ""
    for ex in exercises():
        if ex.lesson != lesson:
            lesson = ex.lesson
            parts.append(f"## Lesson {lesson}\n")
        parts.append(section(ex))
    return "\n".join(parts)


def section(ex: Exercise) -> str:
    """Return one exercise: task, hints, solution and why."""
    start = f"\n```python\n{ex.start}\n```\n" if ex.start else ""
    hints = "\n".join(f"{i}. {hint}" for i, hint in enumerate(ex.hints, 1))
    return (
        f"### {ex.title} (`{ex.name}`, {ex.level})\n\n{ex.task}\n{start}\n**Hints**\n\n{hints}\n\n"
        f"**Solution**\n\n```python\n{ex.source}\n```\n\n{ex.why}\n"
    )


def main() -> int:
    """Write the page, or compare it with what is there."""
    page = document()
    if "--check" in sys.argv[1:]:
        same = OUT.exists() and OUT.read_text(encoding="utf-8") == page
        print(f"{OUT.name} is {'up to date' if same else 'out of date: run scripts/write_solutions.py'}")
        return 0 if same else 1
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(page, encoding="utf-8")
    print(f"wrote {len(exercises())} solutions to {OUT.name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
