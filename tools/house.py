"""Measures the house from its source tree: the tree, the table and the picture of docs/explanation/architecture.md.

`python tools/house.py` writes them and prints the table. With `--check` nothing is written, and the exit code is 1 if
the page or the picture is out of date. `--names` lists the names of modules that several rooms have. Everything is
read from the syntax trees; nothing of sudare is imported.
"""

from __future__ import annotations

import ast
import sys
import textwrap
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from house_picture import draw
from house_rooms import ROOT, SOURCE, docline, layers, rooms

PAGE = ROOT / "docs" / "explanation" / "architecture.md"
PICTURE = ROOT / "docs" / "images" / "house.svg"
KINDS = ("histories", "tables", "baskets")
BELOW_REPORT = (*KINDS, "contest", "gate", "statistics", "sources", "engine", "kernels")
PUBLIC = ("", "histories", "tables", "baskets", "contest", "gate")
MOST_MODULES, MOST_LINES = 15, 350
# How many of the largest rooms the page lists.
LARGEST = 5
# How wide a block of the site is, in characters.
TREE_WIDTH = 90


@dataclass(frozen=True)
class Module:
    """A module by its path below src/sudare, such as `tables/walks/engine`."""

    path: Path

    @property
    def words(self) -> tuple[str, ...]:
        """The folders and the name of the module; a package is named by its folder alone."""
        words = self.path.relative_to(SOURCE).with_suffix("").parts
        return words[:-1] if words[-1] == "__init__" else words

    @property
    def room(self) -> str:
        return self.path.parent.relative_to(SOURCE).as_posix()

    @property
    def lines(self) -> int:
        return len(self.path.read_text(encoding="utf-8").splitlines())

    @property
    def tree(self) -> ast.Module:
        return _parse(self.path)


@cache
def _parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Import:
    """An import of one module by another."""

    importing: Module
    imported: Module

    @property
    def tops(self) -> tuple[str, str]:
        return self.importing.words[0], self.imported.words[0]

    @property
    def kinds(self) -> tuple[str | None, str | None]:
        return kind_of(self.importing), kind_of(self.imported)

    def crosses_a_kind(self) -> bool:
        one, other = self.kinds
        return one is not None and other is not None and one != other

    def crosses_a_verb(self) -> bool:
        """Say whether both are in rooms of verbs, such as attackers and anonymize, of the same kind of data."""
        one, other = self.importing.words, self.imported.words
        inside = self.tops[0] == self.tops[1] and self.tops[0] in KINDS
        return inside and verb_of(one) is not None and verb_of(other) is not None and one[1] != other[1]


def kind_of(module: Module) -> str | None:
    """Return the kind of data that a module is about, also that of a kernel; None if it is about no single one."""
    words = module.words[1:] if module.words[0] == "kernels" else module.words
    return words[0] if words and words[0] in KINDS else None


def verb_of(words: tuple[str, ...]) -> str | None:
    """Return the room inside a kind, or None for the modules of the kind itself."""
    return words[1] if len(words) > 1 and (SOURCE / words[0] / words[1]).is_dir() else None


@cache
def modules() -> tuple[Module, ...]:
    """Return all modules but the package itself, in order."""
    found = (Module(path) for path in sorted(SOURCE.rglob("*.py")))
    return tuple(module for module in found if module.words)


def imports() -> Iterator[Import]:
    """Yield every import of a module of sudare by another, once a pair, wherever it stands in the module."""
    by_words = {module.words: module for module in modules()}
    for module in modules():
        found = {by_words[words] for words in _imported(module.tree, by_words) if words in by_words}
        yield from (Import(module, other) for other in sorted(found - {module}, key=lambda other: other.path))


def _imported(tree: ast.Module, known: dict[tuple[str, ...], Module]) -> Iterator[tuple[str, ...]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (tuple(alias.name.split(".")[1:]) for alias in node.names if alias.name.startswith("sudare."))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "sudare":
            start = tuple(str(node.module).split(".")[1:])
            for alias in node.names:
                yield (*start, alias.name) if (*start, alias.name) in known else start


def imports_below_report() -> list[Import]:
    return [found for found in imports() if set(found.tops) <= set(BELOW_REPORT)]


def room_sizes() -> Counter[str]:
    """Return how many modules are in each room, without `__init__`."""
    return Counter(module.room for module in modules() if module.path.stem != "__init__")


def long_modules() -> list[Module]:
    """Return the modules that have more lines than one sitting; migrations are a record, and not counted."""
    return [found for found in modules() if found.lines > MOST_LINES and "migrations" not in found.words]


def shared_names() -> dict[str, list[str]]:
    """Return the names of modules that are in more than one room, with the rooms."""
    found: dict[str, list[str]] = {}
    for module in modules():
        if module.path.stem != "__init__":
            found.setdefault(module.path.name, []).append(module.room)
    return {name: places for name, places in sorted(found.items()) if len(places) > 1}


def untyped_kernels() -> int:
    """Return how often `Any` stands in the kernels."""
    kernels = [module for module in modules() if module.words[0] == "kernels"]
    return sum(isinstance(node, ast.Name) and node.id == "Any" for module in kernels for node in ast.walk(module.tree))


def ways_up() -> int:
    """Return how often a module asks for a function of a layer above it."""
    nodes = (node for module in modules() for node in ast.walk(module.tree) if isinstance(node, ast.Call))
    return sum(isinstance(node.func, ast.Name) and node.func.id == "above" for node in nodes)


def public_names(package: str) -> list[str]:
    """Return the names that the stub of a package lists."""
    stub = _parse(SOURCE / package / "__init__.pyi")
    return [
        alias.asname or alias.name for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names
    ]


def engine_methods() -> list[str]:
    """Return the methods that every engine has."""
    tree = _parse(SOURCE / "engine" / "protocol.py")
    engine = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Engine")
    names = [node.name for node in engine.body if isinstance(node, ast.FunctionDef)]
    return [name for name in names if not name.startswith("__")]


def table() -> str:
    """Return what was measured, as a table of Markdown."""
    below = imports_below_report()
    kinds = sum(found.crosses_a_kind() for found in below)
    verbs = sum(found.crosses_a_verb() for found in below)
    leaving = sum(len(set(found.tops)) == 2 for found in below)
    sizes = room_sizes()
    largest = ", ".join(
        f"`{room}` {size}" for room, size in sorted(sizes.items(), key=lambda pair: (-pair[1], pair[0]))[:LARGEST]
    )
    long = ", ".join(f"`{module.path.relative_to(SOURCE).as_posix()}`" for module in long_modules())
    public = ", ".join(f"`{'.'.join(('sudare', *filter(None, [name])))}` {len(public_names(name))}" for name in PUBLIC)
    lines = [
        ("imports between kinds of data, their kernels included", f"{kinds}"),
        ("imports below `report` that cross a verb inside a kind, or a kind", f"{(verbs + kinds) / len(below):.0%}"),
        ("imports below `report` that leave their room of the first level", f"{leaving / len(below):.0%}"),
        ("calls of `above`, the one way up", f"{ways_up()}"),
        (f"largest rooms, in modules (at most {MOST_MODULES})", largest),
        (f"modules of more than {MOST_LINES} lines", long or "0"),
        ("names of modules in more than one room", f"{len(shared_names())}"),
        ("`Any` in the kernels", f"{untyped_kernels()}"),
        ("public names", public),
        ("methods of an engine", f"{len(engine_methods())}"),
    ]
    return "\n".join(["| what | measured |", "|---|---|", *(f"| {what} | {found} |" for what, found in lines)])


def names_table() -> str:
    """Return the names that several rooms have, as a table of Markdown."""
    lines = [f"| `{name}` | {', '.join(f'`{room}`' for room in places)} |" for name, places in shared_names().items()]
    return "\n".join(["| module | rooms |", "|---|---|", *lines])


def tree() -> str:
    """Return the rooms, and the modules that stand alone, with what the docstring of each says first."""
    found = [("  " * room.depth + room.name + "/", room.about) for top in layers() for room in rooms(top)]
    alone = [(f"{name}.py", docline(SOURCE / f"{name}.py")) for name in layers() if (SOURCE / f"{name}.py").is_file()]
    width = max(len(name) for name, _ in [*found, *alone]) + 2
    return "\n".join(line for name, about in [*found, *alone] for line in _wrapped(name, about, width))


def _wrapped(name: str, about: str, width: int) -> list[str]:
    return textwrap.wrap(about, TREE_WIDTH, initial_indent=f"    {name:<{width}}", subsequent_indent=" " * (width + 4))


SECTIONS = {"tree": tree, "measured": table}


def written(page: str) -> str:
    """Return the page with its measured parts anew, each between two markers."""
    for name, make in SECTIONS.items():
        before, start, rest = page.partition(f"<!-- house: {name} -->\n")
        _, end, after = rest.partition(f"<!-- end of {name} -->\n")
        if not end:
            raise ValueError(f"{PAGE.name} has no place for {name}: two comments mark where it begins and ends")
        page = f"{before}{start}\n{make()}\n\n{end}{after}"
    return page


def main(words: list[str]) -> int:
    if "--names" in words:
        print(names_table())
        return 0
    page = PAGE.read_text(encoding="utf-8")
    new = {PAGE: written(page), PICTURE: draw()}
    print(table())
    stale = [path for path, text in new.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if "--check" in words:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is out of date: run python tools/house.py", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        path.write_text(new[path], encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
