"""Measure how well people in purchase histories can be recognized, and make the data safe.

    import sudare

    with sudare.read_history("purchases.csv") as history:
        print(sudare.assess_attackers(history).to_rows())

Names are loaded when they are first used, so that importing sudare costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sudare.version import __version__

if TYPE_CHECKING:
    from sudare.anonymize.levels import LevelsFound, find_levels, write_levels
    from sudare.data.hierarchy import Hierarchy, find_hierarchies, read_hierarchy
    from sudare.data.history import PurchaseHistory, Reading
    from sudare.data.reading import read_history
    from sudare.data.synthetic import GeneratedHistory, generate_history
    from sudare.data.table import Table, read_table
    from sudare.engine.duckdb import DuckDBEngine
    from sudare.errors import (
        BadRows,
        ColumnNotFound,
        HierarchyNotUsable,
        InputError,
        KnowledgeNotUnderstood,
        MemoryNotEnough,
        OptionNotUsable,
        OutputNotWritable,
        SourceNotReadable,
        SudareError,
    )
    from sudare.report.history import write_history_report
    from sudare.risk.affordable import AffordableSet, AffordableSets, affordable_sets
    from sudare.risk.attackers import (
        AttackerRisk,
        AttackersAssessment,
        PartStatistics,
        assess_attackers,
        assess_knowledge,
    )
    from sudare.risk.attribute_sets import SetRisk
    from sudare.risk.contributions import Contribution, attribute_contributions
    from sudare.risk.costs import Bundle, Costs, read_costs
    from sudare.risk.customers import CustomerRisk, CustomerRisks, customer_risks, write_customer_risks
    from sudare.risk.dangerous import DangerousRecords, DangerousSet, DangerousSets, dangerous_records, dangerous_sets
    from sudare.risk.disclosable import DisclosableSets, disclosable_sets
    from sudare.risk.diversity import Diversity, sensitive_diversity
    from sudare.risk.knowledge import TEN_ATTACKERS, Knowledge, parse_knowledge
    from sudare.risk.records import ClassSize, RecordsAssessment, assess_records, write_record_risks
    from sudare.risk.subset_sample import SubsetSample, sample_subsets
    from sudare.risk.subsets import SubsetRisk, SubsetsAssessment, assess_subsets, write_subsets
    from sudare.risk.values import KnowledgeValue, most_identifying, write_values

_HOMES = {
    "sudare.anonymize.levels": (
        "LevelsFound",
        "find_levels",
        "write_levels",
    ),
    "sudare.data.hierarchy": (
        "Hierarchy",
        "HierarchyNotUsable",
        "find_hierarchies",
        "read_hierarchy",
    ),
    "sudare.risk.affordable": (
        "AffordableSet",
        "AffordableSets",
        "affordable_sets",
    ),
    "sudare.risk.attribute_sets": ("SetRisk",),
    "sudare.risk.costs": (
        "Bundle",
        "Costs",
        "read_costs",
    ),
    "sudare.risk.dangerous": (
        "DangerousRecords",
        "DangerousSet",
        "DangerousSets",
        "dangerous_records",
        "dangerous_sets",
    ),
    "sudare.risk.disclosable": (
        "DisclosableSets",
        "disclosable_sets",
    ),
    "sudare.risk.subset_sample": (
        "SubsetSample",
        "sample_subsets",
    ),
    "sudare.data.history": ("PurchaseHistory", "Reading"),
    "sudare.data.reading": ("read_history",),
    "sudare.data.synthetic": ("GeneratedHistory", "generate_history"),
    "sudare.data.table": ("Table", "read_table"),
    "sudare.engine.duckdb": ("DuckDBEngine",),
    "sudare.errors": (
        "BadRows",
        "ColumnNotFound",
        "HierarchyNotUsable",
        "InputError",
        "KnowledgeNotUnderstood",
        "MemoryNotEnough",
        "OptionNotUsable",
        "OutputNotWritable",
        "SourceNotReadable",
        "SudareError",
    ),
    "sudare.report.history": ("write_history_report",),
    "sudare.risk.attackers": (
        "AttackerRisk",
        "AttackersAssessment",
        "PartStatistics",
        "assess_attackers",
        "assess_knowledge",
    ),
    "sudare.risk.contributions": ("Contribution", "attribute_contributions"),
    "sudare.risk.customers": ("CustomerRisk", "CustomerRisks", "customer_risks", "write_customer_risks"),
    "sudare.risk.diversity": ("Diversity", "sensitive_diversity"),
    "sudare.risk.knowledge": ("TEN_ATTACKERS", "Knowledge", "parse_knowledge"),
    "sudare.risk.records": ("ClassSize", "RecordsAssessment", "assess_records", "write_record_risks"),
    "sudare.risk.subsets": ("SubsetRisk", "SubsetsAssessment", "assess_subsets", "write_subsets"),
    "sudare.risk.values": ("KnowledgeValue", "most_identifying", "write_values"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "TEN_ATTACKERS",
    "AffordableSet",
    "AffordableSets",
    "AttackerRisk",
    "AttackersAssessment",
    "BadRows",
    "Bundle",
    "ClassSize",
    "ColumnNotFound",
    "Contribution",
    "Costs",
    "CustomerRisk",
    "CustomerRisks",
    "DangerousRecords",
    "DangerousSet",
    "DangerousSets",
    "DisclosableSets",
    "Diversity",
    "DuckDBEngine",
    "GeneratedHistory",
    "Hierarchy",
    "HierarchyNotUsable",
    "InputError",
    "Knowledge",
    "KnowledgeNotUnderstood",
    "KnowledgeValue",
    "LevelsFound",
    "MemoryNotEnough",
    "OptionNotUsable",
    "OutputNotWritable",
    "PartStatistics",
    "PurchaseHistory",
    "Reading",
    "RecordsAssessment",
    "SetRisk",
    "SourceNotReadable",
    "SubsetRisk",
    "SubsetSample",
    "SubsetsAssessment",
    "SudareError",
    "Table",
    "__version__",
    "affordable_sets",
    "assess_attackers",
    "assess_knowledge",
    "assess_records",
    "assess_subsets",
    "attribute_contributions",
    "customer_risks",
    "dangerous_records",
    "dangerous_sets",
    "disclosable_sets",
    "find_hierarchies",
    "find_levels",
    "generate_history",
    "most_identifying",
    "parse_knowledge",
    "read_costs",
    "read_hierarchy",
    "read_history",
    "read_table",
    "sample_subsets",
    "sensitive_diversity",
    "write_customer_risks",
    "write_history_report",
    "write_levels",
    "write_record_risks",
    "write_subsets",
    "write_values",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'sudare' has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return __all__
