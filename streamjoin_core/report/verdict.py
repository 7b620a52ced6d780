"""The verdict of a check: every bound with what was found."""

from dataclasses import asdict, dataclass

from streamjoin_core.report.report import json_ready


@dataclass(frozen=True)
class Finding:
    """One bound on one policy with one memory."""

    trace: str
    label: str
    mem: int | None
    measure: str
    bound: float | None  # the least that is allowed, or what the baseline reached
    got: float | None
    holds: bool
    is_baseline: bool = False

    @property
    def change(self) -> float | None:
        return None if None in (self.got, self.bound) else self.got - self.bound


@dataclass(frozen=True)
class Verdict:
    findings: tuple[Finding, ...]
    updated: bool = False  # whether the baseline was brought up to date

    @property
    def breaches(self) -> list[Finding]:
        return [finding for finding in self.findings if not finding.holds]

    def as_dict(self) -> dict:
        """The verdict as its JSON has it."""
        return json_ready(
            {
                "holds": not self.breaches,
                "updated": self.updated,
                "findings": [
                    asdict(finding) | {"change": finding.change} for finding in self.findings
                ],
            }
        )


def sentence(finding: Finding) -> str:
    """What a finding says, in words."""
    where = "without limit" if finding.mem is None else f"with memory {finding.mem:,}"
    got = "undefined" if finding.got is None else f"{finding.got:.6g}"
    bound = "undefined" if finding.bound is None else f"{finding.bound:.6g}"
    if finding.is_baseline:
        told = f"{bound} in the baseline"
    else:
        told = f"at least {bound} is wanted" if not finding.holds else f"at least {bound}"
    return f"{finding.label} {where}: {finding.measure} is {got}, {told}"
