"""Measure how well people in purchase histories, tables and baskets can be recognized, and anonymize the data.

    import sudare

    history = sudare.read_history("purchases.csv")
    print(history.attackers())

Three nouns have the methods: `History`, `Table`, `Baskets`. What they call, and all else, is in `sudare.histories`,
`sudare.tables`, `sudare.baskets`, `sudare.contest` and `sudare.gate`. The stubs beside the packages list the names,
which are loaded when they are first used.
"""

from sudare.lazy import attach

__getattr__, __dir__ = attach(__name__)
