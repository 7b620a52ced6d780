"""`python -m tests.readme` rewrites the generated parts of the README; a test keeps them true."""

from pathlib import Path

from streamjoin_core.parameters import describe
from streamjoin_core.policies.registry import all_policies

README = Path(__file__).resolve().parents[1] / "README.md"
START, END = "checked by a test -->\n", "<!-- end of policies -->"


def policies_table() -> str:
    """One row per policy in the registry."""
    lines = ["| policy | for | who leaves first | parameters | cost | source |", "| --- " * 6 + "|"]
    for policy in all_policies():
        problems = [name for name in ("joining", "caching") if getattr(policy, name)]
        names = ", ".join(f"`{name}`" for name in (policy.name, *policy.aliases))
        parameters = ", ".join(f"`{name}`" for name, _, _ in describe(policy.parameters))
        cells = (names, ", ".join(problems), policy.summary, parameters, policy.cost, policy.paper)
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def with_policies(text: str) -> str:
    """The README with its table of policies brought up to date."""
    before, rest = text.split(START)
    _, after = rest.split(END)
    return before + START + policies_table() + END + after


if __name__ == "__main__":
    README.write_text(with_policies(README.read_text()))
