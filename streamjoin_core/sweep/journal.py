"""What a sweep has done so far, kept beside its output until that is complete.

One line of JSON for what was asked, then one for each task with its runs. A line that was cut off
is as if it had never been there.
"""

import json
import os
from dataclasses import asdict
from pathlib import Path

from streamjoin_core.errors import InputError
from streamjoin_core.files import atomic_path, reason
from streamjoin_core.report.report import json_ready

Runs = list[dict]


class Journal:
    """Runs by the name of their task; without a path they are kept nowhere."""

    def __init__(self, output: str | os.PathLike | None, asked: dict, resume: bool):
        self.path = None if output is None else Path(f"{output}.partial")
        self._asked = json_ready(asked)
        if resume and self.path is None:
            raise InputError("there is nothing to go on from: name the output with --output")
        self.known = self._read() if resume else {}
        self._file = None if self.path is None else self._start()

    def _read(self) -> dict[str, Runs]:
        """What an earlier sweep that asked the same has left behind."""
        try:
            lines = self.path.read_text(encoding="utf-8").split("\n")[:-1]
        except FileNotFoundError:
            return {}
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"cannot read {self.path}: {error}") from error
        entries = [entry for entry in map(_parsed, lines) if entry]
        if entries and "asked" in entries[0]:
            self._refuse_other(entries[0]["asked"])
        return {entry["task"]: entry["runs"] for entry in entries[1:]}

    def _refuse_other(self, asked: dict) -> None:
        for name, value in _flat(self._asked).items():
            before = _flat(asked).get(name)
            if before != value:
                raise InputError(
                    f"cannot resume from {self.path}: its {name} is {before!r}, not {value!r}; "
                    "leave --resume out to start anew"
                )

    def _start(self):
        """A file with what is known already, all of it or none."""
        entries = [{"task": task, "runs": runs} for task, runs in self.known.items()]
        with atomic_path(self.path) as temporary:
            text = "".join(map(_line, [{"asked": self._asked}, *entries]))
            temporary.write_text(text, encoding="utf-8")
        try:
            return self.path.open("a", encoding="utf-8")
        except OSError as error:
            raise self._unwritable(error) from error

    def add(self, task: str, runs: list) -> None:
        """Note the runs of a task, so that they outlive whatever happens next."""
        self.known[task] = json_ready([asdict(run) for run in runs])
        if self._file is not None:
            self._write({"task": task, "runs": self.known[task]})

    def _write(self, entry: dict) -> None:
        try:
            self._file.write(_line(entry))
            self._file.flush()
        except OSError as error:
            raise self._unwritable(error) from error

    def _unwritable(self, error: OSError) -> InputError:
        return InputError(f"cannot write {self.path}: {reason(error)}")

    def close(self, keep: bool) -> None:
        """Forget it all, unless it is to be kept for another try."""
        if self._file is not None:
            try:
                self._file.close()
            except OSError as error:
                raise self._unwritable(error) from error
            finally:
                if not keep:
                    self.path.unlink(missing_ok=True)


def _line(entry: dict) -> str:
    return json.dumps(entry, allow_nan=False) + "\n"


def _parsed(line: str) -> dict | None:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _flat(asked: dict) -> dict:
    return {f"{part} {name}": value for part in asked for name, value in asked[part].items()}
