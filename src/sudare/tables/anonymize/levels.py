"""The generalization levels that make a table safe with the least loss.

Algorithm 7 of "Risk analysis of k-anonymized personal data by attack simulation", with a share of records that may be
suppressed, and without its trial of every combination: see `sudare.tables.anonymize.search`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sudare.arguments import checked
from sudare.errors import AnswerIsNo, OptionNotUsable
from sudare.lazy import above
from sudare.limits import SEARCH_SECONDS
from sudare.messages import Joined, Language
from sudare.progress import Progress, silent
from sudare.results import Result, Row
from sudare.showing import dataclass
from sudare.tables.anonymize.bounded_search import BoundedSearch, Question
from sudare.tables.anonymize.losses import find_loss
from sudare.tables.anonymize.search import Levels
from sudare.tables.classes.class_criteria import class_criteria
from sudare.tables.classes.criteria import Criteria, DiversityKind
from sudare.tables.classes.partitions import safe_rows
from sudare.tables.classes.rows import Rows, table_rows
from sudare.tables.hierarchies.model import Hierarchy, hierarchy_from, loaded_hierarchies, number_texts
from sudare.tables.model import Table
from sudare.tables.sets.subsets import class_size_within
from sudare.tables.sets.what_if import MOST_LISTED, SetsChanged

if TYPE_CHECKING:
    from sudare.tables.anonymize.written_levels import WrittenLevels

# Two bytes a node, and hours of work: beyond this not all choices are tried.
MOST_NODES = 50_000_000
# With criteria about sensitive values a node takes a millisecond for 30,000 distinct rows. One in thirty to one in four
# is measured where what is safe stays so at higher levels, else all that are not ruled out: a minute or two.
MOST_VALUED_NODES, MOST_MEASURED_NODES = 400_000, 100_000


@dataclass(frozen=True)
class LevelsFound(Result):
    """The level vectors that make a table safe, and the one among them with the least loss.

    `minimal` are the safe vectors in which no attribute can go one level down. `best` and its numbers are None if not
    even the highest levels are safe; then `in_the_way` are the attributes that prevent it. `evaluated` of the `nodes`
    level vectors were measured, the others inferred; `safe_choices` of them are safe. The table and the hierarchies are
    kept with the result.

    If there are too many vectors to settle all, `complete` is False: `minimal` are some of the minimal ones,
    `safe_choices` is None, and `best` is the best found. No safe vector has a loss below `bound`.

    Where there are criteria about the values of `sensitive` attributes (`l` with `diversity` and `c`, and `t`), a class
    must satisfy them too. If records may be suppressed, levels above safe ones need not be safe then.
    """

    _hidden = ("table", "hierarchies")
    _row = ("attribute", "level", "highest")
    _further = ("max_risk", "gap")

    source: str
    known: tuple[str, ...]
    limit: float
    k: int
    suppress: float
    loss_name: str
    records: int
    nodes: int
    evaluated: int
    safe_choices: int | None
    highest: Levels
    minimal: tuple[Levels, ...] = field(repr=False)
    best: Levels | None
    loss: float | None
    suppressed: int | None
    classes: int | None
    smallest: int | None
    in_the_way: tuple[str, ...]
    table: Table = field(repr=False, compare=False)
    hierarchies: Mapping[str, Hierarchy] = field(repr=False, compare=False)
    complete: bool = True
    bound: float | None = None
    interrupted: bool = False
    sensitive: tuple[str, ...] = ()
    l: float | None = None  # noqa: E741
    diversity: DiversityKind = "distinct"
    c: float | None = None
    t: float | None = None

    @property
    def criteria(self) -> Criteria:
        """What every class satisfies at safe levels."""
        return Criteria(
            k=self.k, l=self.l, diversity=self.diversity, c=self.c, t=self.t, suppress=self.suppress
        )  # fmt: skip

    @property
    def gap(self) -> float | None:
        """The largest possible reduction of the best vector's loss, as a share of it; 0 if it is proven the best."""
        if self.loss is None or self.bound is None:
            return None
        return (self.loss - self.bound) / self.loss if self.loss else 0.0

    def publish(
        self, path: str | Path, *, keep: Sequence[str] = (), levels: Mapping[str, int] | None = None
    ) -> WrittenLevels:
        """Write the table at the best levels and measure the file; see `write_levels`."""
        from sudare.tables.anonymize.written_levels import write_levels

        return write_levels(self, path, keep=keep, levels=levels)

    def report(
        self,
        path: str | Path,
        *,
        legal: Sequence[str] = (),
        command: str | None = None,
        language: Language = "en",
        progress: Progress = silent,
    ) -> None:
        """Write one page about the table, with these levels; `command` is the command line that made it, if one did.

        The page does not show criteria about sensitive values: levels that were found with them are refused.
        """
        if self.criteria.looks_at_values:
            raise OptionNotUsable("errors.criteria.no_page")
        write: Any = above("sudare.report.table.report", "write_table_report")
        write(
            self.table, path, known=self.known, limit=self.limit, hierarchies=self.hierarchies, suppress=self.suppress,
            legal=legal, command=command, language=language, progress=progress,
        )  # fmt: skip

    @property
    def max_risk(self) -> float | None:
        """The highest risk of a remaining record: one divided by the smallest class size."""
        return 1 / self.smallest if self.smallest else None

    def to_rows(self) -> list[Row]:
        """Return one row per attribute: its best level, None where no levels are safe, and its highest level."""
        best = self.best or {}
        return [
            {"attribute": name, "level": best.get(name), "highest": highest} for name, highest in self.highest.items()
        ]


@checked
def find_levels(
    table: Table,
    hierarchies: Mapping[str, Hierarchy | str | Path],
    *,
    known: Sequence[str] | None = None,
    limit: float,
    sensitive: str | Sequence[str] = (),
    l: float | None = None,  # noqa: E741
    diversity: DiversityKind = "distinct",
    c: float | None = None,
    t: float | None = None,
    suppress: float = 0.0,
    loss: str = "entropy",
    seconds: float | None = SEARCH_SECONDS,
    seed: int = 0,
    progress: Progress = silent,
) -> LevelsFound:
    """Find the generalization levels at which no record has a risk above `limit`, and those with the least loss.

    The attacker knows the attributes `known` (None: all that are not sensitive); an attribute without a hierarchy has
    level 0 only. `hierarchies` are given by attribute, or as the files that `find_hierarchies` finds. For each of the
    `sensitive` attributes, every class must be `l`-diverse in the sense of `diversity` (`c` belongs to `recursive`) and
    at most `t` away from the whole table: by the nodes of its hierarchy if it has one, else by ranks if its values are
    numbers or dates. Up to the share `suppress` of the records, those in classes that break one of these, may be
    suppressed. Ties go to the vector that suppresses fewer records.

    Up to MOST_NODES vectors are settled exhaustively, fewer if there is an `l` or a `t`; beyond that, a bounded search
    ends after `seconds` (None: when the best is proven) or when interrupted, with the best vector found and a lower
    bound on the loss.
    """
    loaded = loaded_hierarchies(hierarchies)
    table.positions(list(loaded))
    hidden = (sensitive,) if isinstance(sensitive, str) else tuple(sensitive)
    chosen = _choose(table, known, hidden)
    size, allowed = class_size_within(limit), most_suppressed(suppress, table.records)
    plain = table_rows(table, table.positions(chosen)).plain
    values = class_criteria(Criteria(size, l, diversity, c, t, suppress=suppress), table, hidden, loaded)
    question = Question(
        table, loaded, size, allowed, find_loss(loss), plain, None if values.trivial else values
    )  # fmt: skip
    few = math.prod(loaded[name].levels for name in chosen if name in loaded) <= _most_nodes(question)
    search = question.search(chosen) if few else BoundedSearch(question, chosen, seconds, seed)
    search.run(progress)
    answer = {**search.answer()}
    answer.setdefault("bound", answer["loss"])
    return LevelsFound(
        source=table.reading.source,
        known=tuple(chosen),
        limit=limit,
        k=size,
        suppress=suppress,
        loss_name=loss,
        records=table.records,
        in_the_way=() if answer["best"] else _in_the_way(question, chosen),
        table=table,
        hierarchies=loaded,
        sensitive=hidden,
        l=l,
        diversity=diversity,
        c=c,
        t=t,
        **answer,
    )


def none_safe(found: LevelsFound) -> AnswerIsNo:
    """Return the error that no levels are safe."""
    attributes = Joined(found.in_the_way, "comma")
    if found.criteria.looks_at_values:
        return AnswerIsNo("errors.criteria.none_safe", suppress=found.suppress, k=found.k, attributes=attributes)
    return AnswerIsNo("errors.levels.none_safe", limit=found.limit, suppress=found.suppress, attributes=attributes)


def _most_nodes(question: Question) -> int:
    """Return how many nodes are settled one and all."""
    if question.values is None:
        return MOST_NODES
    follows = question.values.lasting or not question.allowed
    return min(MOST_NODES, MOST_VALUED_NODES if follows else MOST_MEASURED_NODES)


def _in_the_way(question: Question, known: Sequence[str]) -> tuple[str, ...]:
    """Return the attributes that alone, at their highest levels, are above the limit.

    If none is so alone, those are returned that tell records apart at their highest levels.
    """
    table, hierarchies = question.table, question.hierarchies
    tops = {name: _at_the_top(table, hierarchies.get(name), place) for name, place in placed(table, known)}
    alone = [
        name
        for name, rows in tops.items()
        if int(rows.counts[~safe_rows(rows, question.size, question.values)].sum()) > question.allowed
    ]
    return tuple(alone or [name for name, rows in tops.items() if rows.codes.max(initial=0) > 0])


def kept_rows(found: LevelsFound, general: Table) -> NDArray[np.bool_]:
    """Return which distinct rows of the table, put at some levels, are not suppressed."""
    rows = table_rows(general, general.positions(found.known))
    values = class_criteria(found.criteria, general, found.sensitive, found.hierarchies)
    return safe_rows(rows, found.k, None if values.trivial else values)


def placed(table: Table, names: Sequence[str]) -> list[tuple[str, int]]:
    """Return each attribute with its place in the table."""
    return list(zip(names, table.positions(names), strict=True))


def _at_the_top(table: Table, hierarchy: Hierarchy | None, place: int) -> Rows:
    """Return the rows of one attribute at its highest level."""
    rows, values = table_rows(table, [place]), table.values[place]
    texts = hierarchy.generalize(values, hierarchy.levels - 1, missing=table.missing) if hierarchy else list(values)
    numbers = number_texts(texts)
    wildcard = int(numbers[-1]) if table.missing == "any" and texts[-1] is None else -1
    codes = np.ascontiguousarray(numbers[rows.codes])
    return Rows(codes, rows.counts, np.asarray([wildcard], np.int32), rows.persons)


def find_levels_from(
    table: Table, hierarchies: Mapping[str, Hierarchy | str | Path], levels: Mapping[str, int], **options: Any
) -> LevelsFound:
    """Find levels, as `find_levels` does, for a table whose values are at some levels already; none goes below them."""
    loaded = loaded_hierarchies(hierarchies)
    above = {name: hierarchy_from(hierarchy, levels.get(name, 0)) for name, hierarchy in loaded.items()}
    found = find_levels(table, above, **options)

    def renamed(at: Levels) -> Levels:
        return {name: level + levels.get(name, 0) for name, level in at.items()}

    return replace(
        found,
        highest=renamed(found.highest),
        minimal=tuple(map(renamed, found.minimal)),
        best=None if found.best is None else renamed(found.best),
    )


@checked
def changed_levels(before: LevelsFound, after: LevelsFound) -> SetsChanged:
    """Return the level choices that are safe only in the second result, and those safe only in the first.

    All safe choices are compared, not only the minimal ones: a choice that is no longer minimal can still be safe.
    Where not all are known, nothing is listed, nor where levels above safe ones need not be safe.
    """
    known = (found.complete and (found.t is None and found.diversity == "distinct") for found in (before, after))
    if not all(known):
        return SetsChanged((), (), complete=False)
    entered, left = _safe_here_only(after, before), _safe_here_only(before, after)
    complete = max(len(entered), len(left)) <= MOST_LISTED
    return SetsChanged(tuple(entered[:MOST_LISTED]), tuple(left[:MOST_LISTED]), complete)


def _safe_here_only(here: LevelsFound, there: LevelsFound) -> list[Levels]:
    """Return choices, one more than MOST_LISTED at most, that are safe in one answer and not in the other.

    Levels are raised step by step from the minimal choices. Above one that is safe in the other answer, all are.
    """
    if here.known != there.known:
        raise OptionNotUsable("errors.levels.different_known")
    names, top = here.known, [here.highest[name] for name in here.known]
    safe = np.asarray([[levels[name] for name in names] for levels in there.minimal], np.int64).reshape(-1, len(names))
    found: set[tuple[int, ...]] = set()
    waiting = [tuple(levels[name] for name in names) for levels in here.minimal]
    while waiting and len(found) <= MOST_LISTED:
        levels = waiting.pop()
        if levels in found or (safe <= np.asarray(levels)).all(axis=1).any():
            continue
        found.add(levels)
        higher = (a for a in range(len(names)) if levels[a] < top[a])
        waiting += [(*levels[:a], levels[a] + 1, *levels[a + 1 :]) for a in higher]
    return [dict(zip(names, levels, strict=True)) for levels in sorted(found)]


def most_suppressed(share: float, records: int) -> int:
    """Return how many records may be suppressed; a share below 0 or from 1 on is refused."""
    if not 0 <= share < 1:
        raise OptionNotUsable("errors.levels.suppress", share=share)
    # As the share is written: 0.29 of 100 are 29, although 0.29 * 100 is a little less in binary.
    return math.floor(Fraction(repr(float(share))) * records)


def _choose(table: Table, known: Sequence[str] | None, sensitive: Sequence[str]) -> list[str]:
    """Return the attributes that are known: by default all that are not sensitive."""
    chosen = [name for name in table.attributes if name not in sensitive] if known is None else list(known)
    table.positions([*chosen, *sensitive])
    for name in sensitive:
        if name in chosen:
            raise OptionNotUsable("errors.diversity.known_and_sensitive", attribute=name)
    if not chosen or len(set(chosen)) < len(chosen):
        raise OptionNotUsable("errors.levels.known", attributes=Joined(table.attributes, "comma"))
    return chosen
