"""`sudare contest`: the rules, utility and safety of an anonymization contest."""

from __future__ import annotations

import typer

from sudare.cli import (
    contest_duel,
    contest_files,
    contest_recompute,
    contest_report,
    contest_safety,
    contest_utility,
)

app = typer.Typer(help="Check, publish, measure and judge the data of an anonymization contest.", no_args_is_help=True)
app.command("check")(contest_files.check)
app.command("check-guesses")(contest_files.check_guesses)
app.command("publish")(contest_files.publish)
app.command("utility")(contest_utility.utility)
app.command("usecases")(contest_utility.usecases)
app.command("correlate")(contest_utility.correlate)
app.command("thresholds")(contest_safety.thresholds)
app.command("safety")(contest_safety.safety)
app.command("classes")(contest_safety.classes)
app.command("duel")(contest_duel.duel)
app.command("recompute")(contest_recompute.recompute)
app.command("report")(contest_report.report)
