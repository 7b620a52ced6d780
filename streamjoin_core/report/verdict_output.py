"""A verdict as people and build servers read it: a table, GitHub's annotations, JUnit's XML."""

import os
from xml.etree import ElementTree

from rich.console import Group
from rich.text import Text

from streamjoin_core.files import atomic_path
from streamjoin_core.report.table import memory_text, number_text, plain_table
from streamjoin_core.report.verdict import Finding, Verdict, sentence


def verdict_table(verdict: Verdict) -> Group:
    """Every bound, trace by trace, those that do not hold marked; then how many they are."""
    parts = []
    for trace in dict.fromkeys(finding.trace for finding in verdict.findings):
        parts += [Text(trace), _table([f for f in verdict.findings if f.trace == trace]), Text("")]
    if verdict.updated:
        parts.append(Text("The baseline is up to date."))
    if verdict.findings:
        number, breaches = len(verdict.findings), len(verdict.breaches)
        told = f"{breaches} of {number} do not hold." if breaches else f"All {number} bounds hold."
        parts.append(Text(told, "red" if breaches else "green"))
    return Group(*parts)


def _table(findings: list[Finding]):
    table = plain_table(["policy", "mem", "measure", "bound", "got", "change", ""])
    for finding in findings:
        table.add_row(
            finding.label,
            memory_text(finding.mem),
            finding.measure,
            ("was " if finding.is_baseline else ">= ") + number_text(finding.bound),
            number_text(finding.got),
            "-" if finding.change is None else f"{finding.change:+.4f}",
            Text("ok", "green") if finding.holds else Text("FAILS", "bold red"),
        )
    return table


def github_annotations(verdict: Verdict) -> str:
    """One line for each bound that does not hold, as GitHub's runner takes it."""
    return "\n".join(
        f"::error file={_escaped(finding.trace, also=',:')},title=sjoin check::"
        f"{_escaped(sentence(finding))}"
        for finding in verdict.breaches
    )


def _escaped(text: str, also: str = "") -> str:
    for character in "%\r\n" + also:
        text = text.replace(character, f"%{ord(character):02X}")
    return text


def write_junit(verdict: Verdict, path: str | os.PathLike) -> None:
    """One test case for each bound."""
    number, failures = str(len(verdict.findings)), str(len(verdict.breaches))
    suites = ElementTree.Element("testsuites", tests=number, failures=failures)
    suite = ElementTree.SubElement(
        suites, "testsuite", name="sjoin check", tests=number, failures=failures
    )
    for finding in verdict.findings:
        kind = "baseline" if finding.is_baseline else "bound"
        name = f"{finding.label} mem {memory_text(finding.mem)} {finding.measure} ({kind})"
        case = ElementTree.SubElement(suite, "testcase", classname=finding.trace, name=name)
        if not finding.holds:
            ElementTree.SubElement(case, "failure", message=sentence(finding))
    ElementTree.indent(suites)
    with atomic_path(path) as temporary:
        ElementTree.ElementTree(suites).write(temporary, encoding="utf-8", xml_declaration=True)
