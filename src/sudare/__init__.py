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
    from sudare.baskets.certificate import (
        Certificate,
        CertifiedInput,
        read_certificate,
        write_published,
    )
    from sudare.baskets.certificate_comparison import CertificateDifference
    from sudare.baskets.check.adversaries import Adversary
    from sudare.baskets.check.held import check_held_baskets
    from sudare.baskets.check.km_anonymity import KmAnonymity, RareItemset, SizeSupports, check_km_anonymity
    from sudare.baskets.check.uncertainty import Verdict, check_baskets
    from sudare.baskets.check.user_confidence import SizeAdversaries, UserConfidence, confidence_by_user
    from sudare.baskets.experiments.experiments import (
        Circumstances,
        Experiments,
        ExperimentSpread,
        run_experiments,
        summarize_experiments,
    )
    from sudare.baskets.experiments.rows import ExperimentRow
    from sudare.baskets.held import HeldBaskets, hold_baskets
    from sudare.baskets.held_sensitive import HeldSensitive, hold_sensitive
    from sudare.baskets.matching import match_published
    from sudare.baskets.model import BasketReading, Baskets, SensitiveItems, SensitiveReading, make_baskets
    from sudare.baskets.read import read_baskets
    from sudare.baskets.sensitive import read_sensitive
    from sudare.baskets.suppress.suppression import Suppression, suppress_baskets
    from sudare.baskets.utility import (
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
    from sudare.baskets.verification import Verification, verify_baskets
    from sudare.baskets.write import write_baskets
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
    from sudare.histories.anonymize.classes import AnonymizedHistory, anonymize_history
    from sudare.histories.anonymize.concealment import ConcealedHistory, conceal_history, covered_customers
    from sudare.histories.anonymize.level_risk import RiskLeveledHistory, levels_for_risk
    from sudare.histories.anonymize.levels import LeveledHistory, anonymize_by_levels, suppress_history
    from sudare.histories.anonymize.models import AnonymizedResult, anonymize_by_model
    from sudare.histories.anonymize.untouched import UntouchedHistory, leave_untouched
    from sudare.histories.attack.attack import Attack, attack_history
    from sudare.histories.attack.known import KnownHistory, know_history
    from sudare.histories.attackers.assessment import (
        AttackerRisk,
        AttackersAssessment,
        PartStatistics,
        assess_attackers,
        assess_knowledge,
    )
    from sudare.histories.attackers.customers import CustomerRisk, CustomerRisks, customer_risks, write_customer_risks
    from sudare.histories.attackers.knowledge import TEN_ATTACKERS, Knowledge, parse_knowledge
    from sudare.histories.attackers.persons import PersonsRisk, assess_persons
    from sudare.histories.attackers.published import (
        PublishedAssessment,
        PublishedAttackers,
        PublishedRisk,
        measure_published,
    )
    from sudare.histories.attackers.values import KnowledgeValue, most_identifying, write_values
    from sudare.histories.generalized.complaints import Complaint, Complaints
    from sudare.histories.generalized.conversion import HistoryFile, open_history_cells
    from sudare.histories.generalized.held import HeldCells, hold_cells
    from sudare.histories.generalized.model import CellHistory, ItemColumn, Kind, OrderedColumn
    from sudare.histories.generalized.parquet import read_cells_parquet, write_cells_parquet
    from sudare.histories.generalized.rule_sets import ColumnRule, ContestResult, RuleSet, load_rules
    from sudare.histories.generalized.text import (
        ParsedCells,
        read_anonymized,
        read_original,
        read_published,
        read_valid_anonymized,
        write_cells,
    )
    from sudare.histories.model import History
    from sudare.histories.read import read_history
    from sudare.histories.safety.best_guesses import BestGuesses, find_best_guesses
    from sudare.histories.safety.classes import AttackSafety, ClassSafety, class_safety, least_class
    from sudare.histories.safety.guess_plans import GuessPlan, PlanPart
    from sudare.histories.safety.held import SizedClasses, held_class_sizes
    from sudare.histories.safety.matching_safety import MatchingSafety, matching_safety
    from sudare.histories.safety.matchings import Matchings
    from sudare.histories.safety.published_classes import PublishedClasses, published_classes
    from sudare.histories.safety.thresholds import (
        read_thresholds,
        success_threshold,
        success_thresholds,
        write_thresholds,
    )
    from sudare.histories.synthetic import GeneratedHistory, generate_history
    from sudare.histories.utility.cost import (
        CellCost,
        CellUtility,
        ColumnCost,
        CustomerCost,
        KindCost,
        cell_errors,
        cell_utility,
    )
    from sudare.histories.utility.description import CellDescription, ColumnDescription, SizeCount, describe_cells
    from sudare.histories.utility.held import held_utility
    from sudare.histories.utility.use_cases import MeasuredError, UseCases, measure_use_cases
    from sudare.histories.visit_list import Visit, list_visits, write_visits
    from sudare.report.baskets.experiment import write_experiment_page
    from sudare.report.baskets.report import write_baskets_report
    from sudare.report.contest.frontier import write_frontier_page
    from sudare.report.history.report import write_history_report
    from sudare.report.table.report import write_table_report
    from sudare.sources.readings import Reading
    from sudare.statistics.class_sizes import ClassSize
    from sudare.statistics.itemsets import (
        AssociationRules,
        FrequentItemsets,
        Rule,
        association_rules,
        frequent_itemsets,
    )
    from sudare.tables.anonymize.levels import LevelsFound, changed_levels, find_levels
    from sudare.tables.anonymize.written_levels import WrittenLevels, write_levels
    from sudare.tables.classes.contributions import Contribution, attribute_contributions
    from sudare.tables.classes.diversity import Diversity, sensitive_diversity
    from sudare.tables.classes.records import RecordsAssessment, assess_records, write_moved_records, write_record_risks
    from sudare.tables.classes.remarks import ColumnRemark, column_remarks
    from sudare.tables.collapsed import CollapsedTable, collapse_table
    from sudare.tables.generalized import generalize_table
    from sudare.tables.hierarchies.files import write_hierarchies
    from sudare.tables.hierarchies.levels_file import read_levels
    from sudare.tables.hierarchies.model import Hierarchy, find_hierarchies, read_hierarchy, write_hierarchy
    from sudare.tables.hierarchies.suggest import SuggestedHierarchy, suggest_hierarchies, suggest_hierarchy
    from sudare.tables.model import Derived, Table, add_records, fetch_table, read_table
    from sudare.tables.population.models import UniquenessEstimate
    from sudare.tables.population.risk import PopulationRisk, population_risk
    from sudare.tables.sets.affordable import AffordableEstimate, AffordableSet, AffordableSets, affordable_sets
    from sudare.tables.sets.attribute_sets import SetRisk
    from sudare.tables.sets.costs import Bundle, Costs, read_costs
    from sudare.tables.sets.dangerous import (
        DangerousChange,
        DangerousEstimate,
        DangerousSet,
        DangerousSets,
        RiseMoved,
        compare_dangerous,
        dangerous_sets,
    )
    from sudare.tables.sets.dangerous_records import (
        DangerousRecords,
        dangerous_records,
        write_dangerous_records,
        write_moved_rises,
    )
    from sudare.tables.sets.disclosable import DisclosableSets, disclosable_sets
    from sudare.tables.sets.sample import SubsetSample, sample_subsets
    from sudare.tables.sets.subset_files import write_subset_sizes, write_subsets
    from sudare.tables.sets.subsets import RiskIntervals, SubsetRisk, SubsetsAssessment, assess_subsets
    from sudare.tables.sets.what_if import (
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
    from sudare.tables.synthetic import GeneratedTable, generate_table
    from sudare.tables.walks.choice import Walk

_HOMES = {
    "sudare.baskets.certificate": ("Certificate", "CertifiedInput", "read_certificate", "write_published"),
    "sudare.baskets.certificate_comparison": ("CertificateDifference",),
    "sudare.baskets.suppress.suppression": ("Suppression", "suppress_baskets"),
    "sudare.baskets.verification": ("Verification", "verify_baskets"),
    "sudare.baskets.matching": ("match_published",),
    "sudare.baskets.read": ("read_baskets",),
    "sudare.baskets.write": ("write_baskets",),
    "sudare.baskets.model": ("BasketReading", "Baskets", "SensitiveItems", "SensitiveReading", "make_baskets"),
    "sudare.baskets.sensitive": ("read_sensitive",),
    "sudare.baskets.experiments.rows": ("ExperimentRow",),
    "sudare.baskets.experiments.experiments": (
        "Circumstances",
        "ExperimentSpread",
        "Experiments",
        "run_experiments",
        "summarize_experiments",
    ),
    "sudare.tables.anonymize.levels": ("LevelsFound", "changed_levels", "find_levels"),
    "sudare.tables.anonymize.written_levels": ("WrittenLevels", "write_levels"),
    "sudare.histories.attack.attack": ("Attack", "attack_history"),
    "sudare.histories.attack.known": ("KnownHistory", "know_history"),
    "sudare.contest.duel": ("Duel", "DuelAttack", "run_duel"),
    "sudare.contest.frontier": ("Frontier", "FrontierSearch", "trace_frontier"),
    "sudare.contest.frontier_points": ("FrontierPoint",),
    "sudare.contest.evaluation": ("EvaluatedFinal", "EvaluatedRound", "FinalFiles", "evaluate_finals"),
    "sudare.contest.recompute": ("Recomputed", "recompute_archive"),
    "sudare.contest.check": ("CheckResult", "check_anonymized", "check_guesses"),
    "sudare.contest.guesses": ("Guesses", "read_guesses", "write_guesses"),
    "sudare.contest.publish": ("publish", "true_customers"),
    "sudare.histories.generalized.complaints": ("Complaint", "Complaints"),
    "sudare.histories.generalized.parquet": ("read_cells_parquet", "write_cells_parquet"),
    "sudare.histories.generalized.text": (
        "ParsedCells",
        "read_anonymized",
        "read_original",
        "read_published",
        "read_valid_anonymized",
        "write_cells",
    ),
    "sudare.histories.anonymize.classes": ("AnonymizedHistory", "anonymize_history"),
    "sudare.histories.anonymize.models": ("AnonymizedResult", "anonymize_by_model"),
    "sudare.histories.anonymize.concealment": ("ConcealedHistory", "conceal_history", "covered_customers"),
    "sudare.histories.anonymize.level_risk": ("RiskLeveledHistory", "levels_for_risk"),
    "sudare.histories.anonymize.untouched": ("UntouchedHistory", "leave_untouched"),
    "sudare.histories.anonymize.levels": ("LeveledHistory", "anonymize_by_levels", "suppress_history"),
    "sudare.histories.generalized.model": ("CellHistory", "ItemColumn", "Kind", "OrderedColumn"),
    "sudare.histories.generalized.rule_sets": ("ColumnRule", "ContestResult", "RuleSet", "load_rules"),
    "sudare.tables.collapsed": ("CollapsedTable", "collapse_table"),
    "sudare.tables.generalized": ("generalize_table",),
    "sudare.baskets.held": ("HeldBaskets", "hold_baskets"),
    "sudare.histories.generalized.held": ("HeldCells", "hold_cells"),
    "sudare.baskets.held_sensitive": ("HeldSensitive", "hold_sensitive"),
    "sudare.tables.hierarchies.model": (
        "Hierarchy",
        "HierarchyNotUsable",
        "find_hierarchies",
        "read_hierarchy",
        "write_hierarchy",
    ),
    "sudare.tables.hierarchies.files": ("write_hierarchies",),
    "sudare.tables.hierarchies.suggest": ("SuggestedHierarchy", "suggest_hierarchies", "suggest_hierarchy"),
    "sudare.tables.sets.affordable": (
        "AffordableEstimate",
        "AffordableSet",
        "AffordableSets",
        "affordable_sets",
    ),
    "sudare.tables.sets.attribute_sets": ("SetRisk",),
    "sudare.tables.sets.costs": (
        "Bundle",
        "Costs",
        "read_costs",
    ),
    "sudare.tables.sets.dangerous": (
        "DangerousChange",
        "DangerousEstimate",
        "DangerousSet",
        "DangerousSets",
        "RiseMoved",
        "compare_dangerous",
        "dangerous_sets",
    ),
    "sudare.tables.sets.dangerous_records": (
        "DangerousRecords",
        "dangerous_records",
        "write_dangerous_records",
        "write_moved_rises",
    ),
    "sudare.tables.sets.disclosable": (
        "DisclosableSets",
        "disclosable_sets",
    ),
    "sudare.tables.sets.sample": (
        "SubsetSample",
        "sample_subsets",
    ),
    "sudare.histories.model": ("History",),
    "sudare.sources.readings": ("Reading",),
    "sudare.histories.generalized.conversion": ("HistoryFile", "open_history_cells"),
    "sudare.tables.hierarchies.levels_file": ("read_levels",),
    "sudare.histories.read": ("read_history",),
    "sudare.histories.synthetic": ("GeneratedHistory", "generate_history"),
    "sudare.tables.synthetic": ("GeneratedTable", "generate_table"),
    "sudare.tables.model": ("Derived", "Table", "add_records", "fetch_table", "read_table"),
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
    "sudare.report.baskets.experiment": ("write_experiment_page",),
    "sudare.report.baskets.report": ("write_baskets_report",),
    "sudare.report.contest.report": ("write_contest_report",),
    "sudare.report.contest.frontier": ("write_frontier_page",),
    "sudare.report.history.report": ("write_history_report",),
    "sudare.report.table.report": ("write_table_report",),
    "sudare.histories.attackers.assessment": (
        "AttackerRisk",
        "AttackersAssessment",
        "PartStatistics",
        "assess_attackers",
        "assess_knowledge",
    ),
    "sudare.tables.classes.contributions": ("Contribution", "attribute_contributions"),
    "sudare.histories.attackers.customers": ("CustomerRisk", "CustomerRisks", "customer_risks", "write_customer_risks"),
    "sudare.tables.classes.diversity": ("Diversity", "sensitive_diversity"),
    "sudare.baskets.check.km_anonymity": ("KmAnonymity", "RareItemset", "SizeSupports", "check_km_anonymity"),
    "sudare.histories.safety.held": ("SizedClasses", "held_class_sizes"),
    "sudare.baskets.check.held": ("check_held_baskets",),
    "sudare.histories.attackers.knowledge": ("TEN_ATTACKERS", "Knowledge", "parse_knowledge"),
    "sudare.histories.attackers.persons": ("PersonsRisk", "assess_persons"),
    "sudare.tables.population.risk": ("PopulationRisk", "population_risk"),
    "sudare.tables.classes.records": (
        "RecordsAssessment",
        "assess_records",
        "write_moved_records",
        "write_record_risks",
    ),
    "sudare.statistics.class_sizes": ("ClassSize",),
    "sudare.tables.classes.remarks": ("ColumnRemark", "column_remarks"),
    "sudare.tables.sets.subsets": ("RiskIntervals", "SubsetRisk", "SubsetsAssessment", "assess_subsets"),
    "sudare.tables.sets.subset_files": ("write_subset_sizes", "write_subsets"),
    "sudare.baskets.check.uncertainty": ("Verdict", "check_baskets"),
    "sudare.baskets.check.adversaries": ("Adversary",),
    "sudare.tables.population.models": ("UniquenessEstimate",),
    "sudare.baskets.check.user_confidence": ("SizeAdversaries", "UserConfidence", "confidence_by_user"),
    "sudare.histories.attackers.values": ("KnowledgeValue", "most_identifying", "write_values"),
    "sudare.histories.visit_list": ("Visit", "list_visits", "write_visits"),
    "sudare.tables.walks.choice": ("Walk",),
    "sudare.tables.sets.what_if": (
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
    "sudare.baskets.utility": (
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
    "sudare.histories.utility.description": ("CellDescription", "ColumnDescription", "SizeCount", "describe_cells"),
    "sudare.histories.utility.cost": (
        "CellCost",
        "CellUtility",
        "ColumnCost",
        "CustomerCost",
        "KindCost",
        "cell_errors",
        "cell_utility",
    ),
    "sudare.histories.utility.use_cases": ("MeasuredError", "UseCases", "measure_use_cases"),
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
    "sudare.histories.safety.best_guesses": ("BestGuesses", "find_best_guesses"),
    "sudare.histories.attackers.published": (
        "PublishedAssessment",
        "PublishedAttackers",
        "PublishedRisk",
        "measure_published",
    ),
    "sudare.histories.safety.classes": ("AttackSafety", "ClassSafety", "class_safety", "least_class"),
    "sudare.histories.safety.guess_plans": ("GuessPlan", "PlanPart"),
    "sudare.histories.safety.matchings": ("Matchings",),
    "sudare.histories.safety.matching_safety": ("MatchingSafety", "matching_safety"),
    "sudare.histories.safety.published_classes": ("PublishedClasses", "published_classes"),
    "sudare.histories.safety.thresholds": (
        "read_thresholds",
        "success_threshold",
        "success_thresholds",
        "write_thresholds",
    ),
    "sudare.histories.utility.held": ("held_utility",),
    "sudare.statistics.itemsets": (
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
    "History",
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
