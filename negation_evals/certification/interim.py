"""What counts of an audit that stopped early, and at which confidence its intervals stand."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from negation_evals.analysis.framing.interim import completed_looks, up_to_looks
from negation_evals.certification.audit import Audit
from negation_evals.errors import DataError
from negation_evals.schema.schedule import Schedule


@dataclass(frozen=True)
class Looks:
    """The answers that count, and the confidence of each domain's interval."""

    sampled: pd.DataFrame
    confidence: Mapping[str, float]
    schedule: str | None
    """Of an adaptive audit, as in its log; else None."""


def find_looks(audit: Audit, facts: Mapping[str, Mapping[str, Any]], confidence: float) -> Looks:
    """What counts of the audit: all of it, or what an adaptive one had at its last complete look.

    An adaptive audit looked at its answers several times, so the error that the certificate allows
    is divided over the looks of its schedule (`schema.schedule`), and each domain's interval
    stands at the confidence of the look at which it stopped.

    Args:
        audit: The answers.
        facts: `log_facts` of each of its logs.
        confidence: Of the certificate.

    Raises:
        DataError: the logs have different schedules, or the deployment domain has no complete look.
    """
    schedules = {facts[log].get("adaptive") for log in audit.sampled["log"].unique()}
    if len(schedules) > 1:
        names = ", ".join(sorted(map(str, schedules)))
        raise DataError(f"{audit.model}: the logs have different adaptive schedules: {names}")
    schedule = schedules.pop() if schedules else None
    domains = list(audit.sampled["domain"].unique())
    if schedule is None:
        return Looks(audit.sampled, dict.fromkeys(domains, confidence), None)
    looks = replace(Schedule.read(schedule), error=1 - confidence)
    table = completed_looks(audit.sampled, looks).set_index("domain")
    if not table["epochs"][audit.domain]:
        raise DataError(
            f"{audit.model}: the adaptive audit has no complete look at {audit.domain}: resume it "
            "with inspect eval-retry"
        )
    known = table.loc[table["epochs"] > 0, "confidence"]
    confidences = {str(domain): float(value) for domain, value in known.items()}
    return Looks(up_to_looks(audit.sampled, looks), confidences, schedule)
