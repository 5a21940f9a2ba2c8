from sudare.histories.anonymize.classes import (
    AnonymizedHistory as AnonymizedHistory,
    GroupedHistory as GroupedHistory,
    anonymize_history as anonymize_history,
)
from sudare.histories.anonymize.concealment import (
    ConcealedHistory as ConcealedHistory,
    conceal_history as conceal_history,
    covered_customers as covered_customers,
)
from sudare.histories.anonymize.earlier.release import (
    EarlierRelease as EarlierRelease,
    read_earlier_release as read_earlier_release,
)
from sudare.histories.anonymize.level_risk import (
    RiskLeveledHistory as RiskLeveledHistory,
    levels_for_risk as levels_for_risk,
)
from sudare.histories.anonymize.levels import (
    LeveledHistory as LeveledHistory,
    anonymize_by_levels as anonymize_by_levels,
    suppress_history as suppress_history,
)
from sudare.histories.anonymize.models import (
    AnonymizedResult as AnonymizedResult,
    anonymize_by_model as anonymize_by_model,
)
from sudare.histories.anonymize.publication import Publication as Publication, anonymize_rows as anonymize_rows
from sudare.histories.anonymize.untouched import (
    UntouchedHistory as UntouchedHistory,
    leave_untouched as leave_untouched,
)
from sudare.histories.another_time import assess_profiles as assess_profiles
from sudare.histories.attack.attack import Attack as Attack, attack_history as attack_history
from sudare.histories.attack.duel import Duel as Duel, DuelAttack as DuelAttack, run_duel as run_duel
from sudare.histories.attack.known import KnownHistory as KnownHistory, know_history as know_history
from sudare.histories.attackers.assessment import (
    AttackerRisk as AttackerRisk,
    AttackersAssessment as AttackersAssessment,
    PartStatistics as PartStatistics,
    assess_attackers as assess_attackers,
    assess_knowledge as assess_knowledge,
)
from sudare.histories.attackers.customers import (
    CustomerRisk as CustomerRisk,
    CustomerRisks as CustomerRisks,
    customer_risks as customer_risks,
    write_customer_risks as write_customer_risks,
)
from sudare.histories.attackers.knowledge import (
    TEN_ATTACKERS as TEN_ATTACKERS,
    Knowledge as Knowledge,
    parse_knowledge as parse_knowledge,
)
from sudare.histories.attackers.persons import PersonsRisk as PersonsRisk, assess_persons as assess_persons
from sudare.histories.attackers.published import (
    PublishedAssessment as PublishedAssessment,
    PublishedAttackers as PublishedAttackers,
    PublishedRisk as PublishedRisk,
    measure_published as measure_published,
)
from sudare.histories.attackers.values import (
    KnowledgeValue as KnowledgeValue,
    most_identifying as most_identifying,
    write_values as write_values,
)
from sudare.histories.generalized.complaints import Complaint as Complaint, Complaints as Complaints
from sudare.histories.generalized.conversion import HistoryRows as HistoryRows, read_history_rows as read_history_rows
from sudare.histories.generalized.held import HeldCells as HeldCells, hold_cells as hold_cells
from sudare.histories.generalized.model import (
    CellHistory as CellHistory,
    ItemColumn as ItemColumn,
    Kind as Kind,
    OrderedColumn as OrderedColumn,
)
from sudare.histories.generalized.parquet import (
    read_cells_parquet as read_cells_parquet,
    write_cells_parquet as write_cells_parquet,
)
from sudare.histories.generalized.rule_sets import (
    ColumnRule as ColumnRule,
    ContestResult as ContestResult,
    RuleSet as RuleSet,
    load_rules as load_rules,
)
from sudare.histories.generalized.text import (
    ParsedCells as ParsedCells,
    read_anonymized as read_anonymized,
    read_original as read_original,
    read_published as read_published,
    read_valid_anonymized as read_valid_anonymized,
    write_cells as write_cells,
)
from sudare.histories.model import History as History
from sudare.histories.profiles.assessment import ProfileAssessment as ProfileAssessment, ProfileShares as ProfileShares
from sudare.histories.profiles.evidence import (
    KeptHabit as KeptHabit,
    RevealingItem as RevealingItem,
    ViewAlone as ViewAlone,
)
from sudare.histories.profiles.measures import (
    ClassLinks as ClassLinks,
    RowsBand as RowsBand,
    SurestGuesses as SurestGuesses,
)
from sudare.histories.profiles.periods import Period as Period
from sudare.histories.profiles.what_if import WhatIf as WhatIf
from sudare.histories.read import read_history as read_history
from sudare.histories.releases.assessment import (
    JoinedRisk as JoinedRisk,
    NarrowedColumn as NarrowedColumn,
    ReleaseLinks as ReleaseLinks,
    ReleasesAssessment as ReleasesAssessment,
)
from sudare.histories.safety.best_guesses import BestGuesses as BestGuesses, find_best_guesses as find_best_guesses
from sudare.histories.safety.classes import (
    AttackSafety as AttackSafety,
    ClassSafety as ClassSafety,
    class_safety as class_safety,
    least_class as least_class,
)
from sudare.histories.safety.guess_plans import GuessPlan as GuessPlan, PlanPart as PlanPart
from sudare.histories.safety.held import SizedClasses as SizedClasses, held_class_sizes as held_class_sizes
from sudare.histories.safety.matching_safety import MatchingSafety as MatchingSafety, matching_safety as matching_safety
from sudare.histories.safety.matchings import Matchings as Matchings
from sudare.histories.safety.published_classes import (
    PublishedClasses as PublishedClasses,
    published_classes as published_classes,
)
from sudare.histories.safety.thresholds import (
    read_thresholds as read_thresholds,
    success_threshold as success_threshold,
    success_thresholds as success_thresholds,
    write_thresholds as write_thresholds,
)
from sudare.histories.synthetic import GeneratedHistory as GeneratedHistory, generate_history as generate_history
from sudare.histories.utility.cost import (
    CellCost as CellCost,
    CellUtility as CellUtility,
    ColumnCost as ColumnCost,
    CustomerCost as CustomerCost,
    KindCost as KindCost,
    cell_errors as cell_errors,
    cell_utility as cell_utility,
)
from sudare.histories.utility.description import (
    CellDescription as CellDescription,
    ColumnDescription as ColumnDescription,
    SizeCount as SizeCount,
    describe_cells as describe_cells,
)
from sudare.histories.utility.held import held_utility as held_utility
from sudare.histories.utility.use_cases import (
    MeasuredError as MeasuredError,
    UseCases as UseCases,
    measure_use_cases as measure_use_cases,
)
from sudare.histories.visit_list import Visit as Visit, list_visits as list_visits, write_visits as write_visits
from sudare.report.history.report import write_history_report as write_history_report
from sudare.statistics.class_sizes import ClassSize as ClassSize
