"""The named limits of sudare, which commands and functions use as defaults."""

from __future__ import annotations

# Memory the embedded engine may use before it spills to disk.
MEMORY = "2GB"

# Combinations of known things that are counted exactly, about ten seconds of joining on two cores; beyond, a sample
# answers.
MOST_COMBINATIONS = 20_000_000

# Size of that sample: an interval of about one percent to either side.
SAMPLES = 10_000

# Combinations that are compared with the cells of all pseudonyms of an anonymized history, some seconds.
MOST_PUBLISHED_COMBINATIONS = 1_000_000

# Combinations of what is known of several persons, each with crowds to be compared: some seconds.
MOST_PERSON_COMBINATIONS = 2_000_000

# Attributes whose subsets are all measured: sixteen million subsets, half a gigabyte of results.
MOST_EXHAUSTED = 24

# Seconds after which a search through very many sets of attributes gives what it has found.
SEARCH_SECONDS = 50.0

# Memory that walking the sets of attributes of a table may take, by estimate; larger tables stay on the engine.
WALK_MEMORY = "4GB"

# Distinct rows times sets of attributes that are grouped on the engine, about half an hour on two cores; beyond, a
# sample of the records answers.
MOST_GROUPED_ROWS = 50_000_000_000

# Seconds after which the search for the classes of a table gives what it has found.
ANONYMIZE_SECONDS = 60.0
