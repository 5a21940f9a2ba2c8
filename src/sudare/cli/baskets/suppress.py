"""`sudare baskets`: whether sets of items keep each person's secrets, and how they are made to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sudare.cli.baskets.options import (
    FILE_HELP,
    KNOWLEDGE_HELP,
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
from sudare.cli.frame import (
    EXIT_NOT_SAFE,
    JsonOption,
    LanguageOption,
    SeedOption,
    guarded,
    note,
    show_json,
    shown_progress,
)
from sudare.cli.options import taking
from sudare.showing import dataclass

if TYPE_CHECKING:
    from sudare.baskets.check.uncertainty import Verdict
    from sudare.baskets.held import HeldBaskets
    from sudare.baskets.held_sensitive import HeldSensitive
    from sudare.baskets.model import Baskets, SensitiveItems
    from sudare.progress import Progress


WorstOption = Annotated[int, typer.Option("--worst", min=1, metavar="N", help="How many unsafe adversaries to list.")]


@guarded
@taking(GuaranteeOptions)
def check(
    source: GuaranteeOptions,
    worst: WorstOption = 20,
    seed: SeedOption = 0,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Check how sure adversaries can be of sensitive items.

    An adversary knows some items of a user and infers another one from the records that have them. She is unsafe if
    she is surer than RHO of an item that is sensitive to the user. On Spark a sample is checked where the data are, and
    no adversary is listed. Exit code 3: there are unsafe adversaries.
    """
    from sudare.messages import Texts

    texts = Texts(lang)
    source.check()
    with shown_progress() as progress:
        look = _checked if source.engine_name == "duckdb" else _checked_there
        verdict, sensitive, told = look(source, worst, seed, progress)
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
    out: Annotated[
        Path,
        BASKETS,
        typer.Option(
            "--out", "-o", metavar="OUT", help="File for the result, in the form of FILE, or .csv or .parquet."
        ),
    ],
    strategy: StrategyOption = "paper",
    keep_low: KeepLowOption = None,
    knowledge: Annotated[KnownFrom, typer.Option(metavar="original|published", help=KNOWLEDGE_HELP)] = "original",
    certificate: Annotated[
        Path | None,
        CERTIFICATE,
        typer.Option(metavar="CERT", help="File for the certificate. OUT.certificate.json if not given."),
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Stop after SECONDS, check included, with what was reached.")
    ] = None,
    keep_unsafe: Annotated[
        bool,
        typer.Option("--keep-unsafe", help="Write a result that is not safe too, with a certificate that says so."),
    ] = False,
    page: Annotated[
        Path | None,
        REPORT,
        typer.Option("--report", metavar="REPORT", help="HTML file for a report, written when OUT is."),
    ] = None,
    hide_records: HideRecordsOption = False,
    seed: SeedOption = 0,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Suppress items until no adversary is surer of a sensitive item than RHO.

    The result is checked as a whole by code that shares nothing with the suppression. A result that is not safe, be it
    for want of time or by Ctrl-C, is not written; the exit code is 3, or 130 after Ctrl-C.
    """
    from sudare.baskets.certificate import certificate_path, write_published
    from sudare.baskets.suppress.suppression import suppress_baskets
    from sudare.messages import Texts

    texts = Texts(lang)
    source.check()
    target = Target(out, certificate or certificate_path(out), page)
    target.check()
    with shown_progress() as progress:
        baskets = source.read(progress)
        target.check_form(baskets)
        sensitive = source.read_sensitive(baskets)
        found = suppress_baskets(
            baskets, sensitive, rho=source.rho, max_known=source.max_known, knowledge=knowledge, strategy=strategy,
            keep_low=keep_low, epsilon=source.epsilon, delta=source.delta, seed=seed, seconds=time_limit,
            progress=progress,
        )  # fmt: skip
        written = found.safe or keep_unsafe
        if written:
            write_published(found, out, certificate=target.certificate)
        if written and page:
            from sudare.report.baskets.report import write_baskets_report

            write_baskets_report(
                found, page, certificate=target.certificate, show_records=not hide_records, language=lang,
                progress=progress,
            )  # fmt: skip
    if json:
        named = {"out": out, "certificate": target.certificate, "report": page}
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
        note(f"Wrote {' and '.join(map(str, target.files))}")
    else:
        note(
            f"Nothing was written, since the result is not safe. Hint: --keep-unsafe writes {target.out} nevertheless."
        )


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

    file: Annotated[str, READ, typer.Argument(metavar="ORIGINAL", help=FILE_HELP)]


@guarded
@taking(VerifyOptions)
def verify(
    source: VerifyOptions,
    published: Annotated[
        str,
        READ,
        typer.Argument(metavar="PUBLISHED", help="The published baskets, a suppression of the original ones."),
    ],
    published_form: PublishedFormOption = None,
    knowledge: Annotated[
        KnownFrom | None,
        typer.Option(metavar="original|published", help=f"{KNOWLEDGE_HELP} Original if not given."),
    ] = None,
    certificate: CertificateOption = None,
    worst: WorstOption = 20,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Seed of a sample. 0 if not given.")] = None,
    lang: LanguageOption = "en",
    json: JsonOption = False,
) -> None:
    """Verify published baskets, and their certificate.

    Everything is computed again from the files: that PUBLISHED is ORIGINAL with items left out, whether the guarantee
    holds, and whether files, parameters and answer are those of the certificate. Exit code 3: not safe, or not what the
    certificate says.
    """
    from sudare.baskets.certificate import read_certificate
    from sudare.baskets.verification import verify_baskets
    from sudare.messages import Texts

    texts = Texts(lang)
    certified = read_certificate(certificate) if certificate else None
    asked = asked_guarantee(source, knowledge, seed, certified)
    source.check()
    with shown_progress() as progress:
        original = source.read(progress)
        read = source.read_published(published, published_form, original, progress)
        sensitive = source.read_sensitive(original)
        found = verify_baskets(
            original, read, sensitive, rho=source.rho, **asked, certificate=certified, most_worst=worst,
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
        raise typer.Exit(EXIT_NOT_SAFE)
