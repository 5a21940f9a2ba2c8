from sudare.baskets.certificate import (
    Certificate as Certificate,
    CertifiedInput as CertifiedInput,
    read_certificate as read_certificate,
    write_published as write_published,
)
from sudare.baskets.certificate_comparison import CertificateDifference as CertificateDifference
from sudare.baskets.check.adversaries import Adversary as Adversary
from sudare.baskets.check.held import check_held_baskets as check_held_baskets
from sudare.baskets.check.km_anonymity import (
    KmAnonymity as KmAnonymity,
    RareItemset as RareItemset,
    SizeSupports as SizeSupports,
    check_km_anonymity as check_km_anonymity,
)
from sudare.baskets.check.uncertainty import Verdict as Verdict, check_baskets as check_baskets
from sudare.baskets.check.user_confidence import (
    SizeAdversaries as SizeAdversaries,
    UserConfidence as UserConfidence,
    confidence_by_user as confidence_by_user,
)
from sudare.baskets.experiments.experiments import (
    Circumstances as Circumstances,
    Experiments as Experiments,
    ExperimentSpread as ExperimentSpread,
    run_experiments as run_experiments,
    summarize_experiments as summarize_experiments,
)
from sudare.baskets.experiments.rows import ExperimentRow as ExperimentRow
from sudare.baskets.held import HeldBaskets as HeldBaskets, hold_baskets as hold_baskets
from sudare.baskets.held_sensitive import HeldSensitive as HeldSensitive, hold_sensitive as hold_sensitive
from sudare.baskets.matching import match_published as match_published
from sudare.baskets.model import (
    BasketReading as BasketReading,
    Baskets as Baskets,
    SensitiveItems as SensitiveItems,
    SensitiveReading as SensitiveReading,
    make_baskets as make_baskets,
)
from sudare.baskets.read import read_baskets as read_baskets
from sudare.baskets.sensitive import read_sensitive as read_sensitive
from sudare.baskets.suppress.suppression import Suppression as Suppression, suppress_baskets as suppress_baskets
from sudare.baskets.utility import (
    BasketLoss as BasketLoss,
    BasketUtility as BasketUtility,
    RulesDistance as RulesDistance,
    SupportErrors as SupportErrors,
    basket_loss as basket_loss,
    basket_utility as basket_utility,
    kl_divergence as kl_divergence,
    rules_distance as rules_distance,
    support_errors as support_errors,
    suppressed_share as suppressed_share,
)
from sudare.baskets.verification import Verification as Verification, verify_baskets as verify_baskets
from sudare.baskets.write import write_baskets as write_baskets
from sudare.report.baskets.experiment import write_experiment_page as write_experiment_page
from sudare.report.baskets.report import write_baskets_report as write_baskets_report
from sudare.statistics.itemsets import (
    AssociationRules as AssociationRules,
    FrequentItemsets as FrequentItemsets,
    Rule as Rule,
    association_rules as association_rules,
    frequent_itemsets as frequent_itemsets,
)
