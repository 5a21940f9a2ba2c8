from sudare.report.table.anonymized.report import write_anonymized_report as write_anonymized_report
from sudare.report.table.report import write_table_report as write_table_report
from sudare.statistics.class_sizes import ClassSize as ClassSize
from sudare.tables.anonymize.frontier import (
    TableFrontier as TableFrontier,
    TableFrontierPoint as TableFrontierPoint,
    table_frontier as table_frontier,
)
from sudare.tables.anonymize.levels import (
    LevelsFound as LevelsFound,
    changed_levels as changed_levels,
    find_levels as find_levels,
)
from sudare.tables.anonymize.publication import (
    AnonymizedTable as AnonymizedTable,
    anonymize_table as anonymize_table,
)
from sudare.tables.anonymize.written_levels import WrittenLevels as WrittenLevels, write_levels as write_levels
from sudare.tables.attack.attack import attack_table as attack_table
from sudare.tables.attack.results import (
    AttackControl as AttackControl,
    InferenceFound as InferenceFound,
    LinkageFound as LinkageFound,
    MembershipFound as MembershipFound,
    MembershipScore as MembershipScore,
    SubsetLinkage as SubsetLinkage,
    TableAttack as TableAttack,
    TableAttacks as TableAttacks,
    TellingClass as TellingClass,
    TightLinkage as TightLinkage,
)
from sudare.tables.classes.contributions import (
    Contribution as Contribution,
    attribute_contributions as attribute_contributions,
)
from sudare.tables.classes.diversity import Diversity as Diversity, sensitive_diversity as sensitive_diversity
from sudare.tables.classes.records import (
    RecordsAssessment as RecordsAssessment,
    assess_records as assess_records,
    write_moved_records as write_moved_records,
    write_record_risks as write_record_risks,
)
from sudare.tables.classes.remarks import ColumnRemark as ColumnRemark, column_remarks as column_remarks
from sudare.tables.codes import CodeColumn as CodeColumn, code_columns as code_columns
from sudare.tables.collapsed import CollapsedTable as CollapsedTable, collapse_table as collapse_table
from sudare.tables.derived import Derived as Derived, add_records as add_records
from sudare.tables.generalized import generalize_table as generalize_table
from sudare.tables.hierarchies.files import write_hierarchies as write_hierarchies
from sudare.tables.hierarchies.levels_file import read_levels as read_levels
from sudare.tables.hierarchies.model import (
    Hierarchy as Hierarchy,
    find_hierarchies as find_hierarchies,
    read_hierarchy as read_hierarchy,
    write_hierarchy as write_hierarchy,
)
from sudare.tables.hierarchies.suggest import (
    SuggestedHierarchy as SuggestedHierarchy,
    suggest_hierarchies as suggest_hierarchies,
    suggest_hierarchy as suggest_hierarchy,
)
from sudare.tables.model import Table as Table
from sudare.tables.population.reference import ReferenceRisk as ReferenceRisk, reference_risk as reference_risk
from sudare.tables.population.risk import PopulationRisk as PopulationRisk, population_risk as population_risk
from sudare.tables.population.uniqueness import UniquenessEstimate as UniquenessEstimate
from sudare.tables.read import fetch_table as fetch_table, read_table as read_table
from sudare.tables.recoded.check import (
    CheckedProperty as CheckedProperty,
    TableCheck as TableCheck,
    check_recoded_file as check_recoded_file,
)
from sudare.tables.recoded.publish import PublishedTable as PublishedTable, publish_recoded as publish_recoded
from sudare.tables.recoded.write import write_key as write_key, write_recoded as write_recoded
from sudare.tables.sets.affordable import (
    AffordableEstimate as AffordableEstimate,
    AffordableSet as AffordableSet,
    AffordableSets as AffordableSets,
    affordable_sets as affordable_sets,
)
from sudare.tables.sets.attribute_sets import SetRisk as SetRisk
from sudare.tables.sets.costs import Bundle as Bundle, Costs as Costs, read_costs as read_costs
from sudare.tables.sets.dangerous import (
    DangerousChange as DangerousChange,
    DangerousEstimate as DangerousEstimate,
    DangerousSet as DangerousSet,
    DangerousSets as DangerousSets,
    RiseMoved as RiseMoved,
    compare_dangerous as compare_dangerous,
    dangerous_sets as dangerous_sets,
)
from sudare.tables.sets.dangerous_records import (
    DangerousRecords as DangerousRecords,
    dangerous_records as dangerous_records,
    write_dangerous_records as write_dangerous_records,
    write_moved_rises as write_moved_rises,
)
from sudare.tables.sets.disclosable import DisclosableSets as DisclosableSets, disclosable_sets as disclosable_sets
from sudare.tables.sets.sample import SubsetSample as SubsetSample, sample_subsets as sample_subsets
from sudare.tables.sets.subset_files import write_subset_sizes as write_subset_sizes, write_subsets as write_subsets
from sudare.tables.sets.subsets import (
    RiskIntervals as RiskIntervals,
    SubsetRisk as SubsetRisk,
    SubsetsAssessment as SubsetsAssessment,
    assess_subsets as assess_subsets,
)
from sudare.tables.sets.what_if import (
    RecordsMoved as RecordsMoved,
    SetMoved as SetMoved,
    SetsChanged as SetsChanged,
    changed_disclosable as changed_disclosable,
    changed_sets as changed_sets,
    moved_records as moved_records,
    moved_risks as moved_risks,
    moved_sets as moved_sets,
    stayed_disclosable as stayed_disclosable,
)
from sudare.tables.synthetic import GeneratedTable as GeneratedTable, generate_table as generate_table
from sudare.tables.utility.measured import table_utility as table_utility
from sudare.tables.utility.model import (
    ClassifierAccuracy as ClassifierAccuracy,
    MarginalMoved as MarginalMoved,
    MeanMoved as MeanMoved,
    PairMoved as PairMoved,
    QueriesError as QueriesError,
    TableUtility as TableUtility,
)
from sudare.tables.walks.choice import Walk as Walk
