"""What pages are made of."""

from __future__ import annotations

from sudare.messages import LANGUAGES
from sudare.web.views.templating import environment, results_drawing, warm_up


def test_what_the_first_readers_need_is_loaded_before() -> None:
    results_drawing.cache_clear()
    warm_up()
    assert results_drawing.cache_info().currsize == len(LANGUAGES)
    for language in LANGUAGES:
        loaded = environment(language).cache
        assert loaded is not None
        assert len(loaded) == len(environment(language).list_templates())
