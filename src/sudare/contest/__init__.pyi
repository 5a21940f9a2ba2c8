from sudare.contest.check import (
    CheckResult as CheckResult,
    check_anonymized as check_anonymized,
    check_guesses as check_guesses,
)
from sudare.contest.correlation import (
    MeasureCorrelation as MeasureCorrelation,
    UtilityCorrelation as UtilityCorrelation,
    correlate_measures as correlate_measures,
    correlate_utility as correlate_utility,
    critical_correlation as critical_correlation,
)
from sudare.contest.description import (
    AnonymizationDescription as AnonymizationDescription,
    describe_anonymization as describe_anonymization,
)
from sudare.contest.evaluation import (
    EvaluatedFinal as EvaluatedFinal,
    EvaluatedRound as EvaluatedRound,
    FinalFiles as FinalFiles,
    evaluate_finals as evaluate_finals,
)
from sudare.contest.frontier import (
    Frontier as Frontier,
    FrontierSearch as FrontierSearch,
    trace_frontier as trace_frontier,
)
from sudare.contest.frontier_points import FrontierPoint as FrontierPoint
from sudare.contest.measured_histories import (
    MeasuredHistory as MeasuredHistory,
    published_results as published_results,
    read_measured_histories as read_measured_histories,
)
from sudare.contest.publish import publish_anonymized as publish_anonymized
from sudare.contest.recompute import Recomputed as Recomputed, recompute_archive as recompute_archive
from sudare.histories.attack.duel import Duel as Duel, DuelAttack as DuelAttack, run_duel as run_duel
from sudare.histories.attack.guesses import (
    Guesses as Guesses,
    read_guesses as read_guesses,
    write_guesses as write_guesses,
)
from sudare.histories.attack.truth import true_customers as true_customers
from sudare.histories.safety.judgement import (
    AttackVerdict as AttackVerdict,
    Judgement as Judgement,
    judge_guesses as judge_guesses,
    judge_hits as judge_hits,
)
from sudare.report.contest.frontier import write_frontier_page as write_frontier_page
from sudare.report.contest.report import write_contest_report as write_contest_report
