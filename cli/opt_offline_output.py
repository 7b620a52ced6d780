"""What `sjoin opt-offline` writes and prints."""

from dataclasses import asdict, dataclass
from pathlib import Path

import typer

from cli.output import print_json, print_table
from cli.plotting import check_plot, show_chart
from streamjoin_core.errors import CheckError, InputError, SjoinError
from streamjoin_core.files import check_file
from streamjoin_core.optimal.estimate import Estimate
from streamjoin_core.optimise import Question
from streamjoin_core.report.chart import optimum_chart, prices_chart
from streamjoin_core.report.optimum import OptimumReport, certified
from streamjoin_core.report.optimum_files import write_prices, write_schedule
from streamjoin_core.report.write import check_report_path, report_json, write_report


@dataclass(frozen=True)
class Asked:
    """The files and proofs that are wanted beside the optimum."""

    schedule: Path | None
    certify: bool
    prices: Path | None
    plot_prices: Path | None
    plot: Path | None
    output: Path | None
    as_json: bool
    quiet: bool

    def check(self, solver: str, bound: bool, dry_run: bool, is_cut: bool) -> None:
        """Refuse what cannot be delivered, before anything is computed."""
        if self.output is not None:
            check_report_path(self.output)
        for path in filter(None, (self.schedule, self.prices)):
            check_file(path)
        for path in (self.plot, self.plot_prices):
            check_plot(path, self.as_json)
        needs_solution = self.schedule or self.prices or self.plot_prices or self.certify
        if (needs_solution or dry_run) and is_cut:
            raise InputError(
                "schedule, prices, proof and dry run are of one memory: leave out either them or "
                "--partitions and --spark"
            )
        if needs_solution and (solver != "sjoin" or bound):
            raise InputError(
                "schedule, prices and proof come from our own exact solver: leave --solver and "
                "--bound out, or --schedule, --prices, --plot-prices and --certify"
            )

    def deliver(self, report: OptimumReport) -> None:
        """Write all files and print the report; then say if the proof does not hold."""
        if self.certify:
            report = certified(report)
        if self.schedule:
            write_schedule(report.solution.schedule, self.schedule)
        if self.prices:
            write_prices(report.solution, self.prices)
        if self.output is not None:
            write_report(report, self.output)
        self._print(report)
        if self.plot_prices:
            show_chart(prices_chart(report.solution), self.plot_prices)
        if self.plot:
            show_chart(optimum_chart(report), self.plot)
        if self.certify and not report.certificate["holds"]:
            _say_that_it_does_not_hold(report)

    def _print(self, report: OptimumReport) -> None:
        if self.as_json:
            typer.echo(report_json(report))
        elif not (self.quiet and self.output):
            from streamjoin_core.report.optimum_table import optimum_table

            print_table(optimum_table(report))


def _say_that_it_does_not_hold(report: OptimumReport) -> None:
    largest = max(report.runs, key=lambda run: run.mem)
    if largest.status == "bound":
        raise CheckError("the solve was stopped, so its schedule is not proved to be the best")
    raise SjoinError("the certificate does not hold: please report it")


def print_estimate(question: Question, as_json: bool) -> None:
    """What the solve would take."""
    found: Estimate = question.estimate
    if as_json:
        method = {"bound": question.asked.bound, "solver": question.asked.solver}
        print_json({"options": question.options, "estimate": asdict(found) | method})
    else:
        from streamjoin_core.report.optimum_table import estimate_text

        typer.echo(estimate_text(found, len(question.wanted), question.asked.solver))
