"""Measure how well people in purchase histories, tables and baskets can be recognized, and anonymize the data.

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
    from sudare.anonymize.certificate import (
        Certificate,
        CertificateDifference,
        CertifiedInput,
        read_certificate,
        write_published,
    )
    from sudare.anonymize.concealment import ConcealedHistory, conceal_history, covered_customers
    from sudare.anonymize.experiment_rows import ExperimentRow
    from sudare.anonymize.experiments import (
        Circumstances,
        Experiments,
        ExperimentSpread,
        run_experiments,
        summarize_experiments,
    )
    from sudare.anonymize.histories import AnonymizedHistory, anonymize_history
    from sudare.anonymize.history_level_risk import RiskLeveledHistory, levels_for_risk
    from sudare.anonymize.history_levels import LeveledHistory, anonymize_by_levels, suppress_history
    from sudare.anonymize.levels import LevelsFound, WrittenLevels, changed_levels, find_levels, write_levels
    from sudare.anonymize.models import AnonymizedResult, anonymize_by_model
    from sudare.anonymize.suppression import Suppression, suppress_baskets
    from sudare.anonymize.untouched import UntouchedHistory, leave_untouched
    from sudare.anonymize.verification import Verification, verify_baskets
    from sudare.attack.attack import Attack, attack_history
    from sudare.attack.knowledge import KnownHistory, know_history
    from sudare.contest.check import CheckResult, check_anonymized, check_guesses
    from sudare.contest.correlation import (
        MeasureCorrelation,
        UtilityCorrelation,
        correlate_measures,
        correlate_utility,
        critical_correlation,
    )
    from sudare.contest.description import AnonymizationDescription, describe_anonymization
    from sudare.contest.duel import Duel, DuelAttack, run_duel
    from sudare.contest.evaluation import EvaluatedFinal, EvaluatedRound, FinalFiles, evaluate_finals
    from sudare.contest.frontier import Frontier, FrontierSearch, trace_frontier
    from sudare.contest.frontier_points import FrontierPoint
    from sudare.contest.guesses import Guesses, read_guesses, write_guesses
    from sudare.contest.judge import AttackVerdict, Judgement, judge_guesses, judge_hits
    from sudare.contest.measured_histories import MeasuredHistory, published_results, read_measured_histories
    from sudare.contest.publish import publish, true_customers
    from sudare.contest.recompute import Recomputed, recompute_archive
    from sudare.data.basket_matching import match_published
    from sudare.data.basket_reading import read_baskets
    from sudare.data.basket_writing import write_baskets
    from sudare.data.baskets import BasketReading, Baskets, SensitiveItems, SensitiveReading, make_baskets
    from sudare.data.cell_complaints import Complaint, Complaints
    from sudare.data.cell_parquet import read_cells_parquet, write_cells_parquet
    from sudare.data.cell_text import (
        ParsedCells,
        read_anonymized,
        read_original,
        read_published,
        read_valid_anonymized,
        write_cells,
    )
    from sudare.data.cells import CellHistory, ItemColumn, Kind, OrderedColumn
    from sudare.data.collapsed import CollapsedTable, collapse_table
    from sudare.data.generalized import generalize_table
    from sudare.data.held_baskets import HeldBaskets, hold_baskets
    from sudare.data.held_cells import HeldCells, hold_cells
    from sudare.data.held_sensitive import HeldSensitive, hold_sensitive
    from sudare.data.hierarchy import Hierarchy, find_hierarchies, read_hierarchy, write_hierarchy
    from sudare.data.hierarchy_files import write_hierarchies
    from sudare.data.hierarchy_suggest import SuggestedHierarchy, suggest_hierarchies, suggest_hierarchy
    from sudare.data.history import PurchaseHistory, Reading
    from sudare.data.history_cells import HistoryFile, open_history_cells
    from sudare.data.levels_file import read_levels
    from sudare.data.reading import read_history
    from sudare.data.rule_sets import ColumnRule, ContestResult, RuleSet, load_rules
    from sudare.data.sensitive import read_sensitive
    from sudare.data.synthetic import GeneratedHistory, generate_history
    from sudare.data.synthetic_table import GeneratedTable, generate_table
    from sudare.data.table import Derived, Table, add_records, fetch_table, read_table
    from sudare.engine import open_engine
    from sudare.engine.duckdb import DuckDBEngine
    from sudare.engine.spark.engine import SparkEngine
    from sudare.errors import (
        BadRows,
        ColumnNotFound,
        EngineNotAvailable,
        HierarchyNotUsable,
        InputError,
        KnowledgeNotUnderstood,
        MemoryNotEnough,
        NotOnEngine,
        OptionNotUsable,
        OutputNotWritable,
        SourceNotReadable,
        SudareError,
    )
    from sudare.report.basket_experiment import write_experiment_page
    from sudare.report.baskets import write_baskets_report
    from sudare.report.frontier import write_frontier_page
    from sudare.report.history import write_history_report
    from sudare.report.table import write_table_report
    from sudare.risk.affordable import AffordableEstimate, AffordableSet, AffordableSets, affordable_sets
    from sudare.risk.attackers import (
        AttackerRisk,
        AttackersAssessment,
        PartStatistics,
        assess_attackers,
        assess_knowledge,
    )
    from sudare.risk.attribute_sets import SetRisk
    from sudare.risk.best_guesses import BestGuesses, find_best_guesses
    from sudare.risk.cell_attackers import PublishedAssessment, PublishedAttackers, PublishedRisk, measure_published
    from sudare.risk.class_safety import AttackSafety, ClassSafety, class_safety, least_class
    from sudare.risk.contributions import Contribution, attribute_contributions
    from sudare.risk.costs import Bundle, Costs, read_costs
    from sudare.risk.customers import CustomerRisk, CustomerRisks, customer_risks, write_customer_risks
    from sudare.risk.dangerous import (
        DangerousChange,
        DangerousEstimate,
        DangerousSet,
        DangerousSets,
        RiseMoved,
        compare_dangerous,
        dangerous_sets,
    )
    from sudare.risk.dangerous_records import (
        DangerousRecords,
        dangerous_records,
        write_dangerous_records,
        write_moved_rises,
    )
    from sudare.risk.disclosable import DisclosableSets, disclosable_sets
    from sudare.risk.diversity import Diversity, sensitive_diversity
    from sudare.risk.guess_plans import GuessPlan, PlanPart
    from sudare.risk.held_classes import SizedClasses, held_class_sizes
    from sudare.risk.held_uncertainty import check_held_baskets
    from sudare.risk.km_anonymity import KmAnonymity, RareItemset, SizeSupports, check_km_anonymity
    from sudare.risk.knowledge import TEN_ATTACKERS, Knowledge, parse_knowledge
    from sudare.risk.matchings import Matchings, MatchingSafety, matching_safety
    from sudare.risk.persons import PersonsRisk, assess_persons
    from sudare.risk.population import PopulationRisk, population_risk
    from sudare.risk.published_classes import PublishedClasses, published_classes
    from sudare.risk.records import RecordsAssessment, assess_records, write_moved_records, write_record_risks
    from sudare.risk.remarks import ColumnRemark, column_remarks
    from sudare.risk.sizes import ClassSize
    from sudare.risk.subset_sample import SubsetSample, sample_subsets
    from sudare.risk.subsets import (
        RiskIntervals,
        SubsetRisk,
        SubsetsAssessment,
        assess_subsets,
        write_subset_sizes,
        write_subsets,
    )
    from sudare.risk.thresholds import read_thresholds, success_threshold, success_thresholds, write_thresholds
    from sudare.risk.uncertainty import Adversary, Verdict, check_baskets
    from sudare.risk.uniqueness_models import UniquenessEstimate
    from sudare.risk.user_confidence import SizeAdversaries, UserConfidence, confidence_by_user
    from sudare.risk.values import KnowledgeValue, most_identifying, write_values
    from sudare.risk.visit_list import Visit, list_visits, write_visits
    from sudare.risk.walk_choice import Walk
    from sudare.risk.what_if import (
        RecordsMoved,
        SetMoved,
        SetsChanged,
        changed_disclosable,
        changed_sets,
        moved_records,
        moved_risks,
        moved_sets,
        stayed_disclosable,
    )
    from sudare.utility.baskets import (
        BasketLoss,
        BasketUtility,
        RulesDistance,
        SupportErrors,
        basket_loss,
        basket_utility,
        kl_divergence,
        rules_distance,
        support_errors,
        suppressed_share,
    )
    from sudare.utility.cell_description import CellDescription, ColumnDescription, SizeCount, describe_cells
    from sudare.utility.cells import (
        CellCost,
        CellUtility,
        ColumnCost,
        CustomerCost,
        KindCost,
        cell_errors,
        cell_utility,
    )
    from sudare.utility.held_cells import held_utility
    from sudare.utility.itemsets import (
        AssociationRules,
        FrequentItemsets,
        Rule,
        association_rules,
        frequent_itemsets,
    )
    from sudare.utility.use_cases import MeasuredError, UseCases, measure_use_cases

_HOMES = {
    "sudare.anonymize.certificate": (
        "Certificate",
        "CertificateDifference",
        "CertifiedInput",
        "read_certificate",
        "write_published",
    ),
    "sudare.anonymize.suppression": ("Suppression", "suppress_baskets"),
    "sudare.anonymize.verification": ("Verification", "verify_baskets"),
    "sudare.data.basket_matching": ("match_published",),
    "sudare.data.basket_reading": ("read_baskets",),
    "sudare.data.basket_writing": ("write_baskets",),
    "sudare.data.baskets": ("BasketReading", "Baskets", "SensitiveItems", "SensitiveReading", "make_baskets"),
    "sudare.data.sensitive": ("read_sensitive",),
    "sudare.anonymize.experiment_rows": ("ExperimentRow",),
    "sudare.anonymize.experiments": (
        "Circumstances",
        "ExperimentSpread",
        "Experiments",
        "run_experiments",
        "summarize_experiments",
    ),
    "sudare.anonymize.levels": (
        "LevelsFound",
        "WrittenLevels",
        "changed_levels",
        "find_levels",
        "write_levels",
    ),
    "sudare.attack.attack": ("Attack", "attack_history"),
    "sudare.attack.knowledge": ("KnownHistory", "know_history"),
    "sudare.contest.duel": ("Duel", "DuelAttack", "run_duel"),
    "sudare.contest.frontier": ("Frontier", "FrontierSearch", "trace_frontier"),
    "sudare.contest.frontier_points": ("FrontierPoint",),
    "sudare.contest.evaluation": ("EvaluatedFinal", "EvaluatedRound", "FinalFiles", "evaluate_finals"),
    "sudare.contest.recompute": ("Recomputed", "recompute_archive"),
    "sudare.contest.check": ("CheckResult", "check_anonymized", "check_guesses"),
    "sudare.contest.guesses": ("Guesses", "read_guesses", "write_guesses"),
    "sudare.contest.publish": ("publish", "true_customers"),
    "sudare.data.cell_complaints": ("Complaint", "Complaints"),
    "sudare.data.cell_parquet": ("read_cells_parquet", "write_cells_parquet"),
    "sudare.data.cell_text": (
        "ParsedCells",
        "read_anonymized",
        "read_original",
        "read_published",
        "read_valid_anonymized",
        "write_cells",
    ),
    "sudare.anonymize.histories": ("AnonymizedHistory", "anonymize_history"),
    "sudare.anonymize.models": ("AnonymizedResult", "anonymize_by_model"),
    "sudare.anonymize.concealment": ("ConcealedHistory", "conceal_history", "covered_customers"),
    "sudare.anonymize.history_level_risk": ("RiskLeveledHistory", "levels_for_risk"),
    "sudare.anonymize.untouched": ("UntouchedHistory", "leave_untouched"),
    "sudare.anonymize.history_levels": ("LeveledHistory", "anonymize_by_levels", "suppress_history"),
    "sudare.data.cells": ("CellHistory", "ItemColumn", "Kind", "OrderedColumn"),
    "sudare.data.rule_sets": ("ColumnRule", "ContestResult", "RuleSet", "load_rules"),
    "sudare.data.collapsed": ("CollapsedTable", "collapse_table"),
    "sudare.data.generalized": ("generalize_table",),
    "sudare.data.held_baskets": ("HeldBaskets", "hold_baskets"),
    "sudare.data.held_cells": ("HeldCells", "hold_cells"),
    "sudare.data.held_sensitive": ("HeldSensitive", "hold_sensitive"),
    "sudare.data.hierarchy": (
        "Hierarchy",
        "HierarchyNotUsable",
        "find_hierarchies",
        "read_hierarchy",
        "write_hierarchy",
    ),
    "sudare.data.hierarchy_files": ("write_hierarchies",),
    "sudare.data.hierarchy_suggest": ("SuggestedHierarchy", "suggest_hierarchies", "suggest_hierarchy"),
    "sudare.risk.affordable": (
        "AffordableEstimate",
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
        "DangerousChange",
        "DangerousEstimate",
        "DangerousSet",
        "DangerousSets",
        "RiseMoved",
        "compare_dangerous",
        "dangerous_sets",
    ),
    "sudare.risk.dangerous_records": (
        "DangerousRecords",
        "dangerous_records",
        "write_dangerous_records",
        "write_moved_rises",
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
    "sudare.data.history_cells": ("HistoryFile", "open_history_cells"),
    "sudare.data.levels_file": ("read_levels",),
    "sudare.data.reading": ("read_history",),
    "sudare.data.synthetic": ("GeneratedHistory", "generate_history"),
    "sudare.data.synthetic_table": ("GeneratedTable", "generate_table"),
    "sudare.data.table": ("Derived", "Table", "add_records", "fetch_table", "read_table"),
    "sudare.engine": ("open_engine",),
    "sudare.engine.duckdb": ("DuckDBEngine",),
    "sudare.engine.spark.engine": ("SparkEngine",),
    "sudare.errors": (
        "BadRows",
        "ColumnNotFound",
        "EngineNotAvailable",
        "HierarchyNotUsable",
        "InputError",
        "KnowledgeNotUnderstood",
        "MemoryNotEnough",
        "NotOnEngine",
        "OptionNotUsable",
        "OutputNotWritable",
        "SourceNotReadable",
        "SudareError",
    ),
    "sudare.report.basket_experiment": ("write_experiment_page",),
    "sudare.report.baskets": ("write_baskets_report",),
    "sudare.report.contest": ("write_contest_report",),
    "sudare.report.frontier": ("write_frontier_page",),
    "sudare.report.history": ("write_history_report",),
    "sudare.report.table": ("write_table_report",),
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
    "sudare.risk.km_anonymity": ("KmAnonymity", "RareItemset", "SizeSupports", "check_km_anonymity"),
    "sudare.risk.held_classes": ("SizedClasses", "held_class_sizes"),
    "sudare.risk.held_uncertainty": ("check_held_baskets",),
    "sudare.risk.knowledge": ("TEN_ATTACKERS", "Knowledge", "parse_knowledge"),
    "sudare.risk.persons": ("PersonsRisk", "assess_persons"),
    "sudare.risk.population": ("PopulationRisk", "population_risk"),
    "sudare.risk.records": ("RecordsAssessment", "assess_records", "write_moved_records", "write_record_risks"),
    "sudare.risk.sizes": ("ClassSize",),
    "sudare.risk.remarks": ("ColumnRemark", "column_remarks"),
    "sudare.risk.subsets": (
        "RiskIntervals",
        "SubsetRisk",
        "SubsetsAssessment",
        "assess_subsets",
        "write_subset_sizes",
        "write_subsets",
    ),
    "sudare.risk.uncertainty": ("Adversary", "Verdict", "check_baskets"),
    "sudare.risk.uniqueness_models": ("UniquenessEstimate",),
    "sudare.risk.user_confidence": ("SizeAdversaries", "UserConfidence", "confidence_by_user"),
    "sudare.risk.values": ("KnowledgeValue", "most_identifying", "write_values"),
    "sudare.risk.visit_list": ("Visit", "list_visits", "write_visits"),
    "sudare.risk.walk_choice": ("Walk",),
    "sudare.risk.what_if": (
        "RecordsMoved",
        "SetMoved",
        "SetsChanged",
        "changed_disclosable",
        "changed_sets",
        "moved_records",
        "moved_risks",
        "moved_sets",
        "stayed_disclosable",
    ),
    "sudare.utility.baskets": (
        "BasketLoss",
        "BasketUtility",
        "basket_loss",
        "RulesDistance",
        "SupportErrors",
        "basket_utility",
        "kl_divergence",
        "rules_distance",
        "support_errors",
        "suppressed_share",
    ),
    "sudare.utility.cell_description": ("CellDescription", "ColumnDescription", "SizeCount", "describe_cells"),
    "sudare.utility.cells": (
        "CellCost",
        "CellUtility",
        "ColumnCost",
        "CustomerCost",
        "KindCost",
        "cell_errors",
        "cell_utility",
    ),
    "sudare.utility.use_cases": ("MeasuredError", "UseCases", "measure_use_cases"),
    "sudare.contest.correlation": (
        "MeasureCorrelation",
        "UtilityCorrelation",
        "correlate_measures",
        "correlate_utility",
        "critical_correlation",
    ),
    "sudare.contest.description": ("AnonymizationDescription", "describe_anonymization"),
    "sudare.contest.measured_histories": ("MeasuredHistory", "published_results", "read_measured_histories"),
    "sudare.contest.judge": ("AttackVerdict", "Judgement", "judge_guesses", "judge_hits"),
    "sudare.risk.best_guesses": ("BestGuesses", "find_best_guesses"),
    "sudare.risk.cell_attackers": (
        "PublishedAssessment",
        "PublishedAttackers",
        "PublishedRisk",
        "measure_published",
    ),
    "sudare.risk.class_safety": ("AttackSafety", "ClassSafety", "class_safety", "least_class"),
    "sudare.risk.guess_plans": ("GuessPlan", "PlanPart"),
    "sudare.risk.matchings": ("MatchingSafety", "Matchings", "matching_safety"),
    "sudare.risk.published_classes": ("PublishedClasses", "published_classes"),
    "sudare.risk.thresholds": ("read_thresholds", "success_threshold", "success_thresholds", "write_thresholds"),
    "sudare.utility.held_cells": ("held_utility",),
    "sudare.utility.itemsets": (
        "AssociationRules",
        "FrequentItemsets",
        "Rule",
        "association_rules",
        "frequent_itemsets",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "TEN_ATTACKERS",
    "Adversary",
    "AffordableEstimate",
    "AffordableSet",
    "AffordableSets",
    "AnonymizationDescription",
    "AnonymizedHistory",
    "AnonymizedResult",
    "AssociationRules",
    "Attack",
    "AttackSafety",
    "AttackVerdict",
    "AttackerRisk",
    "AttackersAssessment",
    "BadRows",
    "BasketLoss",
    "BasketReading",
    "BasketUtility",
    "Baskets",
    "BestGuesses",
    "Bundle",
    "CellCost",
    "CellDescription",
    "CellHistory",
    "CellUtility",
    "Certificate",
    "CertificateDifference",
    "CertifiedInput",
    "CheckResult",
    "Circumstances",
    "ClassSafety",
    "ClassSize",
    "CollapsedTable",
    "ColumnCost",
    "ColumnDescription",
    "ColumnNotFound",
    "ColumnRemark",
    "ColumnRule",
    "Complaint",
    "Complaints",
    "ConcealedHistory",
    "ContestResult",
    "Contribution",
    "Costs",
    "CustomerCost",
    "CustomerRisk",
    "CustomerRisks",
    "DangerousChange",
    "DangerousEstimate",
    "DangerousRecords",
    "DangerousSet",
    "DangerousSets",
    "Derived",
    "DisclosableSets",
    "Diversity",
    "DuckDBEngine",
    "Duel",
    "DuelAttack",
    "EngineNotAvailable",
    "EvaluatedFinal",
    "EvaluatedRound",
    "ExperimentRow",
    "ExperimentSpread",
    "Experiments",
    "FinalFiles",
    "FrequentItemsets",
    "Frontier",
    "FrontierPoint",
    "FrontierSearch",
    "GeneratedHistory",
    "GeneratedTable",
    "GuessPlan",
    "Guesses",
    "HeldBaskets",
    "HeldCells",
    "HeldSensitive",
    "Hierarchy",
    "HierarchyNotUsable",
    "HistoryFile",
    "InputError",
    "ItemColumn",
    "Judgement",
    "Kind",
    "KindCost",
    "KmAnonymity",
    "Knowledge",
    "KnowledgeNotUnderstood",
    "KnowledgeValue",
    "KnownHistory",
    "LeveledHistory",
    "LevelsFound",
    "MatchingSafety",
    "Matchings",
    "MeasureCorrelation",
    "MeasuredError",
    "MeasuredHistory",
    "MemoryNotEnough",
    "NotOnEngine",
    "OptionNotUsable",
    "OrderedColumn",
    "OutputNotWritable",
    "ParsedCells",
    "PartStatistics",
    "PersonsRisk",
    "PlanPart",
    "PopulationRisk",
    "PublishedAssessment",
    "PublishedAttackers",
    "PublishedClasses",
    "PublishedRisk",
    "PurchaseHistory",
    "RareItemset",
    "Reading",
    "Recomputed",
    "RecordsAssessment",
    "RecordsMoved",
    "RiseMoved",
    "RiskIntervals",
    "RiskLeveledHistory",
    "Rule",
    "RuleSet",
    "RulesDistance",
    "SensitiveItems",
    "SensitiveReading",
    "SetMoved",
    "SetRisk",
    "SetsChanged",
    "SizeAdversaries",
    "SizeCount",
    "SizeSupports",
    "SizedClasses",
    "SourceNotReadable",
    "SparkEngine",
    "SubsetRisk",
    "SubsetSample",
    "SubsetsAssessment",
    "SudareError",
    "SuggestedHierarchy",
    "SupportErrors",
    "Suppression",
    "Table",
    "UniquenessEstimate",
    "UntouchedHistory",
    "UseCases",
    "UserConfidence",
    "UtilityCorrelation",
    "Verdict",
    "Verification",
    "Visit",
    "Walk",
    "WrittenLevels",
    "__version__",
    "add_records",
    "affordable_sets",
    "anonymize_by_levels",
    "anonymize_by_model",
    "anonymize_history",
    "assess_attackers",
    "assess_knowledge",
    "assess_persons",
    "assess_records",
    "assess_subsets",
    "association_rules",
    "attack_history",
    "attribute_contributions",
    "basket_loss",
    "basket_utility",
    "cell_errors",
    "cell_utility",
    "changed_disclosable",
    "changed_levels",
    "changed_sets",
    "check_anonymized",
    "check_baskets",
    "check_guesses",
    "check_held_baskets",
    "check_km_anonymity",
    "class_safety",
    "collapse_table",
    "column_remarks",
    "compare_dangerous",
    "conceal_history",
    "confidence_by_user",
    "correlate_measures",
    "correlate_utility",
    "covered_customers",
    "critical_correlation",
    "customer_risks",
    "dangerous_records",
    "dangerous_sets",
    "describe_anonymization",
    "describe_cells",
    "disclosable_sets",
    "evaluate_finals",
    "fetch_table",
    "find_best_guesses",
    "find_hierarchies",
    "find_levels",
    "frequent_itemsets",
    "generalize_table",
    "generate_history",
    "generate_table",
    "held_class_sizes",
    "held_utility",
    "hold_baskets",
    "hold_cells",
    "hold_sensitive",
    "judge_guesses",
    "judge_hits",
    "kl_divergence",
    "know_history",
    "least_class",
    "leave_untouched",
    "levels_for_risk",
    "list_visits",
    "load_rules",
    "make_baskets",
    "match_published",
    "matching_safety",
    "measure_published",
    "measure_use_cases",
    "most_identifying",
    "moved_records",
    "moved_risks",
    "moved_sets",
    "open_engine",
    "open_history_cells",
    "parse_knowledge",
    "population_risk",
    "publish",
    "published_classes",
    "published_results",
    "read_anonymized",
    "read_baskets",
    "read_cells_parquet",
    "read_certificate",
    "read_costs",
    "read_guesses",
    "read_hierarchy",
    "read_history",
    "read_levels",
    "read_measured_histories",
    "read_original",
    "read_published",
    "read_sensitive",
    "read_table",
    "read_thresholds",
    "read_valid_anonymized",
    "recompute_archive",
    "rules_distance",
    "run_duel",
    "run_experiments",
    "sample_subsets",
    "sensitive_diversity",
    "stayed_disclosable",
    "success_threshold",
    "success_thresholds",
    "suggest_hierarchies",
    "suggest_hierarchy",
    "summarize_experiments",
    "support_errors",
    "suppress_baskets",
    "suppress_history",
    "suppressed_share",
    "trace_frontier",
    "true_customers",
    "verify_baskets",
    "write_baskets",
    "write_baskets_report",
    "write_cells",
    "write_cells_parquet",
    "write_contest_report",
    "write_customer_risks",
    "write_dangerous_records",
    "write_experiment_page",
    "write_frontier_page",
    "write_guesses",
    "write_hierarchies",
    "write_hierarchy",
    "write_history_report",
    "write_levels",
    "write_moved_records",
    "write_moved_rises",
    "write_published",
    "write_record_risks",
    "write_subset_sizes",
    "write_subsets",
    "write_table_report",
    "write_thresholds",
    "write_values",
    "write_visits",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'sudare' has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return __all__
