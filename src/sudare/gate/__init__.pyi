from sudare.gate.baseline import (
    Baseline as Baseline,
    BaselineValue as BaselineValue,
    read_baseline as read_baseline,
    write_baseline as write_baseline,
)
from sudare.gate.evidence import write_evidence as write_evidence
from sudare.gate.exports import write_junit as write_junit, write_sarif as write_sarif
from sudare.gate.policy import (
    Policy as Policy,
    PolicyCheck as PolicyCheck,
    PolicySource as PolicySource,
    Waiver as Waiver,
    read_policy as read_policy,
)
from sudare.gate.run import (
    GateCheck as GateCheck,
    GateInput as GateInput,
    GateRun as GateRun,
    baseline_of as baseline_of,
    run_gate as run_gate,
)
from sudare.gate.suggestion import (
    SuggestedCheck as SuggestedCheck,
    SuggestedPolicy as SuggestedPolicy,
    suggest_policy as suggest_policy,
)
from sudare.gate.verification import (
    EvidencePart as EvidencePart,
    EvidenceVerification as EvidenceVerification,
    verify_evidence as verify_evidence,
)
