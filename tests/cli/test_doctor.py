"""`sjoin doctor` and the checks behind it."""

import json
from importlib import metadata

import pytest
import typer
from typer.testing import CliRunner

from cli.doctor import doctor as command
from streamjoin_core import doctor
from streamjoin_core.doctor import Check

app = typer.Typer()
app.command()(command)


def run(*arguments: str):
    return CliRunner().invoke(app, arguments, terminal_width=80)


def only(checks) -> Check:
    (check,) = checks
    return check


@pytest.fixture
def fake_java(tmp_path, monkeypatch):
    """Put a java on the path, and nothing else, that says to be of a given version."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("JAVA_HOME", raising=False)

    def install(told: str) -> None:
        java = tmp_path / "bin" / "java"
        java.parent.mkdir()
        java.write_text(f"#!/bin/sh\necho '{told}' >&2\n")
        java.chmod(0o755)

    return install


def test_whatever_is_not_ok_says_what_to_do():
    checks = doctor.examine()
    assert {"Python", "Java", "compiled-code cache", "cores", "memory"} <= {c.name for c in checks}
    assert all(check.status in ("ok", "warn", "missing") for check in checks)
    assert all(check.remedy for check in checks if check.status != "ok")
    assert not any(check.remedy for check in checks if check.status == "ok")


@pytest.mark.parametrize(
    ("bounds", "status"), [(">=1,<9999", "ok"), (">=1,<2", "warn"), (">=9998,<9999", "missing")]
)
def test_package_bounds(bounds, status):
    check = only(doctor.package_checks([f"pytest{bounds}"]))
    assert check.status == status
    assert check.found.startswith(metadata.version("pytest"))


def test_absent_package_names_the_command():
    check = only(doctor.package_checks(["no-such-package>=1,<2; extra == 'check'"]))
    assert (check.status, check.needed_for) == ("missing", "check")
    assert "-m pip install 'no-such-package<2,>=1'" in check.remedy


def test_packages_of_developers_and_of_other_machines_are_left_out():
    requirements = ["pytest>=9999; extra == 'dev'", "pytest>=9999; python_version < '3'"]
    assert list(doctor.package_checks(requirements)) == []


@pytest.mark.parametrize(("pyspark", "statuses"), [(None, []), ("4.3.0", ["warn"])])
def test_pandas_matters_only_beside_pyspark(monkeypatch, pyspark, statuses):
    monkeypatch.setattr(doctor, "_version", {"pyspark": pyspark, "pandas": "3.0.0"}.get)
    checks = doctor.package_checks(["pandas>=2.2,<3; extra == 'spark'"])
    assert [check.status for check in checks] == statuses


def test_running_from_sources_is_no_obstacle(monkeypatch):
    def not_installed(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "metadata", not_installed)
    assert [check.status for check in doctor.installation_checks()] == ["ok", "warn"]


@pytest.mark.parametrize(
    ("told", "status", "found"),
    [
        ('openjdk version "21.0.4" 2024-07-16', "ok", "21.0.4, "),
        ('openjdk version "17" 2021-09-14', "ok", "17, "),
        ('java version "1.8.0_392"', "missing", "1.8.0, too old"),
        ("Unable to locate a Java Runtime.", "missing", "does not tell its version"),
    ],
)
def test_java_version(fake_java, told, status, found):
    fake_java(told)
    check = doctor.java_check()
    assert (check.status, check.needed_for) == (status, "spark")
    assert found in check.found


def test_no_java(fake_java):
    check = doctor.java_check()
    assert (check.status, check.found) == ("missing", "not found")
    assert "Java runtime, version 17 or newer" in check.remedy


def test_java_home_goes_before_the_path(fake_java, tmp_path, monkeypatch):
    fake_java('openjdk version "17.0.1"')
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert f"JAVA_HOME is {tmp_path}" in doctor.java_check().found
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "gone"))
    check = doctor.java_check()
    assert check.status == "missing"
    assert "unset JAVA_HOME" in check.remedy


def test_cache_without_a_place_is_a_warning(monkeypatch):
    from streamjoin_core.engine import compiled

    monkeypatch.setattr(compiled, "cache_directory", lambda: None)
    check = doctor.cache_check()
    assert check.status == "warn"
    assert "SJOIN_CACHE_DIR" in check.remedy


def test_memory(tmp_path):
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal:       16777216 kB\nMemAvailable:     524288 kB\n")
    check = doctor.memory_check(meminfo)
    assert (check.status, check.found) == ("warn", "0.5 of 16.0 GiB available")
    assert "GiB" in doctor.memory_check(tmp_path / "gone").found


def test_json():
    result = run("--json")
    report = json.loads(result.stdout)
    assert list(report) == ["schema_version", "sjoin", "checks"]
    assert report["schema_version"] == 1
    keys = {"name", "status", "found", "needed_for", "remedy"}
    assert all(set(check) == keys for check in report["checks"])


def test_table_fits_80_columns():
    table, _, remarks = run().stdout.partition("\n\n")
    assert "compiled-code cache" in table
    assert max(map(len, table.splitlines())) <= 80
    assert remarks.endswith("eady to replay.\n")


@pytest.mark.parametrize(
    ("status", "needed_for", "exit_code"),
    [("missing", "replay", 2), ("warn", "replay", 0), ("missing", "spark", 0)],
)
def test_exit_code_tells_whether_replay_works(monkeypatch, status, needed_for, exit_code):
    check = Check("thing [x]", status, "no [x]", needed_for, "get 'thing[x]'")
    monkeypatch.setattr(doctor, "examine", lambda: [check])
    result = run()
    assert result.exit_code == exit_code
    assert "thing [x]: get 'thing[x]'" in result.stdout
