"""`sudare baskets check | suppress | verify`: whether baskets protect sensitive items, and making them safe."""

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
    written_form,
)
from sudare.cli.baskets.report import HideRecordsOption
from sudare.cli.files import BASKETS, CERTIFICATE, READ, REPORT
from sudare.cli.frame import EXIT_ANSWER_NO, JsonOption, SeedOption, guarded, note, show_json, shown_progress, spoken
from sudare.cli.options import LegalOption, frames_of, taking
from sudare.cli.settings import Settings, command_line
from sudare.messages import Joined
from sudare.showing import dataclass

if TYPE_CHECKING:
    from sudare.baskets.check.uncertainty import Verdict
    from sudare.baskets.held import HeldBaskets
    from sudare.baskets.held_sensitive import HeldSensitive
    from sudare.baskets.model import Baskets, SensitiveItems
    from sudare.progress import Progress


WorstOption = Annotated[int, typer.Option(min=1, metavar="N")]


@guarded
@taking(GuaranteeOptions)
def check(
    source: GuaranteeOptions,
    top: WorstOption = 20,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Check how sure adversaries can be of sensitive items."""
    texts = spoken()
    source.check()
    with shown_progress() as progress:
        look = _checked if source.engine_name == "duckdb" else _checked_there
        verdict, sensitive, told = look(source, top, seed, progress)
    if json:
        show_json("basket-check", {**verdict.to_dict(), **told})
    else:
        from sudare.report.baskets.text import show_title, show_verdict

        show_title(source.file, verdict, sensitive, texts)
        show_verdict(verdict, texts)
    _end(safe=verdict.safe)


def _checked(
    source: GuaranteeOptions, worst: int, seed: int, progress: Progress
) -> tuple[Verdict, SensitiveItems, dict[str, Any]]:
    """Check baskets in memory; return also how they were read."""
    from sudare.baskets.check.uncertainty import check_baskets

    baskets = source.read(progress)
    sensitive = source.read_sensitive(baskets)
    verdict = check_baskets(
        baskets, sensitive, rho=source.rho, max_known=source.max_known, epsilon=source.epsilon, delta=source.delta,
        seed=seed, most_worst=worst, progress=progress,
    )  # fmt: skip
    return verdict, sensitive, {"items": len(baskets.items), **_told(baskets, sensitive)}


def _checked_there(
    source: GuaranteeOptions, _worst: int, seed: int, progress: Progress
) -> tuple[Verdict, HeldSensitive, dict[str, Any]]:
    """Check baskets where they are; the worst adversaries are about people and stay there."""
    from sudare.baskets.check.held import check_held_baskets
    from sudare.baskets.held_sensitive import hold_sensitive

    with source.hold(progress) as baskets:
        sensitive = hold_sensitive(source.sensitive, baskets, unknown=source.unknown_items)
        verdict = check_held_baskets(
            baskets, sensitive, rho=source.rho, max_known=source.max_known, epsilon=source.epsilon, delta=source.delta,
            seed=seed, progress=progress,
        )  # fmt: skip
        return verdict, sensitive, {"items": baskets.occurrences, **_told(baskets, sensitive)}


@guarded
@taking(GuaranteeOptions)
def suppress(
    source: GuaranteeOptions,
    out: Annotated[Path, BASKETS, typer.Option("--out", "-o", metavar="OUT")],
    strategy: StrategyOption = "paper",
    keep_low: KeepLowOption = None,
    adversary_knows: Annotated[KnownFrom, typer.Option()] = "original",
    certificate: Annotated[Path | None, CERTIFICATE, typer.Option(metavar="CERT")] = None,
    seconds: Annotated[float | None, typer.Option(metavar="SECONDS")] = None,
    keep_unsafe: Annotated[bool, typer.Option("--keep-unsafe")] = False,
    report: Annotated[Path | None, REPORT, typer.Option(metavar="REPORT")] = None,
    legal: LegalOption = None,
    hide_records: HideRecordsOption = False,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Suppress items until no adversary is surer of a sensitive item than RHO."""
    from sudare.baskets.certificate import certificate_path, write_published
    from sudare.baskets.suppress.suppression import suppress_baskets

    texts = spoken()
    source.check()
    frames_of(legal)
    target = Target(out, certificate or certificate_path(out), report)
    target.check()
    with shown_progress() as progress:
        baskets = source.read(progress)
        target.check_form(baskets)
        sensitive = source.read_sensitive(baskets)
        found = suppress_baskets(
            baskets, sensitive, rho=source.rho, max_known=source.max_known, knowledge=adversary_knows,
            strategy=strategy, keep_low=keep_low, epsilon=source.epsilon, delta=source.delta, seed=seed,
            seconds=seconds, progress=progress,
        )  # fmt: skip
        written = found.safe or keep_unsafe
        if written:
            write_published(found, out, certificate=target.certificate)
        if written and report:
            from sudare.report.baskets.report import write_baskets_report

            write_baskets_report(
                found, report, certificate=target.certificate, show_records=not hide_records,
                legal=frames_of(legal), command=command_line(), language=Settings.language, progress=progress,
            )  # fmt: skip
    if json:
        named = {"out": out, "certificate": target.certificate, "report": report}
        files = {name: str(path) if written and path else None for name, path in named.items()}
        show_json("basket-suppression", {**found.to_dict(), **files, **_told(baskets, sensitive)})
    else:
        from sudare.report.baskets.text import show_suppression, show_title

        show_title(source.file, found.verdict, sensitive, texts)
        show_suppression(found, texts)
    _tell_written(target, written=written)
    _end(safe=found.safe)


def _tell_written(target: Target, *, written: bool) -> None:
    if written:
        note("notes.wrote", path=Joined(list(map(str, target.files))))
    else:
        note("notes.unsafe_not_written", path=target.out)


@dataclass(frozen=True, slots=True)
class Target:
    """Where published baskets, their certificate and, if asked for, the report go."""

    out: Path
    certificate: Path
    page: Path | None

    @property
    def files(self) -> list[Path]:
        """All files that are written."""
        return [self.out, self.certificate, *([self.page] if self.page else [])]

    def check(self) -> None:
        """Ask before long work whether the certificate, which need not have been named, can be written."""
        from sudare.sources.writing import check_distinct, check_writable

        check_writable(self.certificate)
        check_distinct(self.files)

    def check_form(self, baskets: Baskets) -> None:
        """Refuse an ending that the baskets cannot be written with."""
        from sudare.baskets.write import check_basket_form

        check_basket_form(baskets, self.out, written_form(baskets))


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyOptions(GuaranteeOptions):
    """The words of a guarantee that is to be verified."""

    file: Annotated[str, READ, typer.Argument(metavar="ORIGINAL")]


@guarded
@taking(VerifyOptions)
def verify(
    source: VerifyOptions,
    published: Annotated[str, READ, typer.Argument(metavar="PUBLISHED")],
    published_form: PublishedFormOption = None,
    adversary_knows: Annotated[KnownFrom | None, typer.Option()] = None,
    certificate: CertificateOption = None,
    top: WorstOption = 20,
    seed: Annotated[int | None, typer.Option(metavar="N")] = None,
    json: JsonOption = False,
) -> None:
    """Verify published baskets, and their certificate."""
    from sudare.baskets.certificate import read_certificate
    from sudare.baskets.verification import verify_baskets

    texts = spoken()
    certified = read_certificate(certificate) if certificate else None
    asked = asked_guarantee(source, adversary_knows, seed, certified)
    source.check()
    with shown_progress() as progress:
        original = source.read(progress)
        read = source.read_published(published, published_form, original, progress)
        sensitive = source.read_sensitive(original)
        found = verify_baskets(
            original, read, sensitive, rho=source.rho, **asked, certificate=certified, most_worst=top,
            progress=progress,
        )  # fmt: skip
    if json:
        show_json("basket-verification", {**found.to_dict(), **_told(original, sensitive)})
    else:
        from sudare.report.baskets.text import show_verification

        show_verification(found, (source.file, published), texts)
    _end(safe=found.holds)


def _told(baskets: Baskets | HeldBaskets, sensitive: SensitiveItems | HeldSensitive) -> dict[str, Any]:
    """Return how baskets and sensitive items were read, for the JSON of a command."""
    return {
        "reading": baskets.reading.to_dict() if baskets.reading else None,
        "sensitive": sensitive.reading.to_dict() if sensitive.reading else None,
    }


def _end(*, safe: bool) -> None:
    if not safe:
        raise typer.Exit(EXIT_ANSWER_NO)
