"""What an attacker knows, in words: as a sentence, and as a short label for charts."""

from __future__ import annotations

from sudare.histories.attackers.knowledge import Knowledge
from sudare.messages import Texts


def knowledge_sentence(knowledge: Knowledge, texts: Texts) -> str:
    """Return one sentence that says what an attacker with this knowledge knows."""
    if not knowledge.parts:
        return texts("knows.nothing")
    of_customer = texts.listed([texts(f"knows.{part}") for part in knowledge.customer_parts])
    parts = [texts(f"knows.{part}") for part in knowledge.key_visit_parts]
    of_visit = texts.listed([*parts, *([_rows(knowledge, texts)] if knowledge.row_parts else [])])
    if not of_visit:
        return texts("knows.customer", list=of_customer)
    several = knowledge.visits > 1
    if not of_customer:
        return texts("knows.visits" if several else "knows.sentence", list=of_visit, visits=knowledge.visits)
    key = "knows.both_visits" if several else "knows.both"
    return texts(key, list=of_customer, inside=of_visit, visits=knowledge.visits)


def _rows(knowledge: Knowledge, texts: Texts) -> str:
    if knowledge.row_parts == ("item",):
        return texts("knows.item") if knowledge.rows == 1 else texts("knows.items_several", rows=knowledge.rows)
    parts = texts.listed([texts(f"part.{part}") for part in knowledge.row_parts])
    return texts("knows.row" if knowledge.rows == 1 else "knows.rows", parts=parts, rows=knowledge.rows)


def knowledge_label(knowledge: Knowledge, texts: Texts) -> str:
    """Return the parts of a knowledge in a few words: day + 2 × item."""
    if not knowledge.parts:
        return texts("report.label.nothing")
    plus = texts("report.label.plus")
    inside = [texts(f"part.{part}") for part in knowledge.key_visit_parts]
    if knowledge.row_parts:
        rows = [texts(f"part.{part}") for part in knowledge.row_parts]
        inside.append(_times(plus.join(rows), knowledge.rows, grouped=len(rows) > 1, texts=texts))
    grouped = len(inside) > 1 or knowledge.rows > 1
    visits = [_times(plus.join(inside), knowledge.visits, grouped=grouped, texts=texts)] if inside else []
    return plus.join([*(texts(f"part.{part}") for part in knowledge.customer_parts), *visits])


def _times(what: str, times: int, *, grouped: bool, texts: Texts) -> str:
    if times == 1:
        return what
    return texts("report.label.times_group" if grouped else "report.label.times", times=times, what=what)
