"""`sudare baskets report`: one page about baskets before and after suppression, to show to others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sudare.cli.baskets.options import (
    CertificateOption,
    GuaranteeOptions,
    KeepLowOption,
    KnownFrom,
    PublishedFormOption,
    StrategyOption,
    asked_guarantee,
)
from sudare.cli.files import READ, REPORT
from sudare.cli.frame import EXIT_ANSWER_NO, guarded, note_written, shown_progress
from sudare.cli.options import LegalOption, frames_of, taking
from sudare.cli.settings import Settings, command_line
from sudare.errors import OptionNotUsable

if TYPE_CHECKING:
    from sudare.baskets.model import Baskets
    from sudare.baskets.suppress.suppression import Suppression
    from sudare.baskets.verification import Verification
    from sudare.progress import Progress

HideRecordsOption = Annotated[bool, typer.Option("--hide-records")]


@guarded
@taking(GuaranteeOptions)
def report(
    source: GuaranteeOptions,
    out: Annotated[Path, REPORT, typer.Option("--out", "-o", metavar="OUT")],
    published: Annotated[str | None, READ, typer.Option(metavar="PUBLISHED")] = None,
    published_form: PublishedFormOption = None,
    certificate: CertificateOption = None,
    strategy: StrategyOption = "paper",
    keep_low: KeepLowOption = None,
    adversary_knows: Annotated[KnownFrom | None, typer.Option()] = None,
    hide_records: HideRecordsOption = False,
    legal: LegalOption = None,
    seed: Annotated[int | None, typer.Option(metavar="N")] = None,
) -> None:
    """Write a report about baskets that a lawyer can read."""
    from sudare.baskets.certificate import read_certificate
    from sudare.baskets.verification import verify_baskets
    from sudare.report.baskets.report import write_baskets_report

    source.check()
    frames_of(legal)
    if certificate and published is None:
        raise OptionNotUsable("errors.usage.no_published")
    asked = asked_guarantee(source, adversary_knows, seed, read_certificate(certificate) if certificate else None)
    with shown_progress() as progress:
        original = source.read(progress)
        shown: Suppression | Verification
        if published is not None:
            read = source.read_published(published, published_form, original, progress)
            sensitive = source.read_sensitive(original)
            shown = verify_baskets(original, read, sensitive, rho=source.rho, **asked, progress=progress)
        else:
            shown = _suppressed(source, original, {"strategy": strategy, "keep_low": keep_low}, asked, progress)
        found = write_baskets_report(
            shown,
            out,
            certificate=certificate,
            show_records=not hide_records,
            legal=frames_of(legal),
            command=command_line(),
            language=Settings.language,
            progress=progress,
        )
    note_written(out)
    if not found.holds:
        raise typer.Exit(EXIT_ANSWER_NO)


def _suppressed(
    source: GuaranteeOptions,
    original: Baskets,
    how: dict[str, Any],
    asked: dict[str, Any],
    progress: Progress,
) -> Suppression:
    from sudare.baskets.suppress.suppression import suppress_baskets

    words = {name: value for name, value in asked.items() if name not in ("look", "draws")}
    sensitive = source.read_sensitive(original)
    found = suppress_baskets(original, sensitive, rho=source.rho, **how, **words, progress=progress)
    if found.interrupted:
        # An interrupted suppression keeps what it has; a report is written whole or not at all.
        raise KeyboardInterrupt
    return found
