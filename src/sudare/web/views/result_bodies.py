"""The part of a results page that is the same for all who may see it, rendered once and cached."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable

from markupsafe import Markup
from sqlalchemy.orm import Session

from sudare.messages import Language
from sudare.web.game.visibility import Viewer, team_names, visible_evaluation
from sudare.web.storage.models import Round
from sudare.web.views.results import show_results
from sudare.web.views.templating import environment, result_values

# A few rounds in all languages; with fifty teams each takes a quarter of a megabyte.
MOST_BODIES = 16


class ResultBodies:
    """Keeps the bodies of the pages of results that were asked for last."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[object, ...], Markup] = OrderedDict()
        self._lock, self._drawing = threading.Lock(), threading.Lock()

    def find(
        self, session: Session, viewer: Viewer, round: Round, language: Language, version: int | None = None
    ) -> Markup:
        """Return what the page of a round's results shows; not there for those who may not see them.

        An evaluation is never changed, and a later one has another number: its body depends on nothing else but the
        teams' names and the language.
        """
        evaluation = visible_evaluation(session, viewer, round, version)
        names = frozenset(team_names(session, round.contest_id).items())
        return self._once((evaluation.id, names, language), lambda: _body(session, viewer, round, language, version))

    def _once(self, key: tuple[object, ...], make: Callable[[], Markup]) -> Markup:
        found = self._look_up(key)
        if found is not None:
            return found
        # When results are published everybody looks at once: one draws, the others wait for it.
        with self._drawing:
            return self._look_up(key) or self._keep(key, make())

    def _look_up(self, key: tuple[object, ...]) -> Markup | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def _keep(self, key: tuple[object, ...], body: Markup) -> Markup:
        with self._lock:
            self._kept[key] = body
            if len(self._kept) > MOST_BODIES:
                self._kept.popitem(last=False)
        return body


def _body(session: Session, viewer: Viewer, round: Round, language: Language, version: int | None) -> Markup:
    values = result_values(show_results(session, viewer, round, version), language)
    return Markup(environment(language).get_template("results_body.html").render(**values))  # noqa: S704
