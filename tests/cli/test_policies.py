"""`sjoin policies`: the list and the explanations."""

import json

import pytest
import typer
from typer.testing import CliRunner

from cli.policies import policies
from streamjoin_core.errors import InputError
from streamjoin_core.policies.registry import find_policy, policy_names

app = typer.Typer()
app.command()(policies)


def run(*arguments: str):
    return CliRunner().invoke(app, arguments, terminal_width=80)


def words(text: str) -> str:
    return " ".join(text.split())


def test_list():
    text = run().stdout
    assert max(map(len, text.splitlines())) <= 80
    for name in policy_names():
        policy = find_policy(name)
        assert f"{name} " in text
        assert words(policy.summary) in words(text)
        assert words(policy.cost) in words(text)
        assert words(policy.paper) in words(text)


def test_list_names_parameters():
    text = run().stdout
    assert "k=2" in text
    assert "left | right" in text


@pytest.mark.parametrize("name", policy_names())
def test_explanation(name):
    text = run(name).stdout
    policy = find_policy(name)
    assert max(map(len, text.splitlines())) <= 80
    assert words(policy.cost) in words(text)
    assert "Reference" in text
    report = json.loads(run(name, "--json").stdout)
    assert report["schema_version"] == 1
    (entry,) = report["policies"]
    for parameter in entry["parameters"]:
        assert parameter["name"] in text
        assert words(parameter["meaning"]) in words(text)


def test_defaults_and_aliases_are_told():
    assert "how many references back to look (default 2)" in run("lru-k").stdout
    assert words("also called recent") in words(run("fifo").stdout)
    assert run("recent").stdout == run("fifo").stdout


def test_items_of_an_explanation_stay_apart():
    lines = run("fifo").stdout.splitlines()
    assert any(line.startswith("Cost: ") for line in lines)
    assert any(line.startswith("References: ") for line in lines)


def test_json_of_all():
    report = json.loads(run("--json").stdout)
    assert [entry["name"] for entry in report["policies"]] == list(policy_names())
    by_name = {entry["name"]: entry for entry in report["policies"]}
    assert by_name["fifo"]["problems"] == ["joining", "caching"]
    assert by_name["lfd"]["knows_future"] is True
    assert by_name["life"]["needs"] == ["window", "memory"]


def test_unknown_policy():
    result = run("best")
    assert isinstance(result.exception, InputError)
    assert "there is no policy 'best': choose among a0, age, exact" in str(result.exception)
