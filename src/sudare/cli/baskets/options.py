"""Options for which baskets to read, which items are sensitive, and what to guarantee."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from sudare.cli.files import READ
from sudare.cli.frame import note, note_secret, pairs
from sudare.cli.history.source import single_columns, tell_reading
from sudare.cli.options import ReadingOptions, share_of
from sudare.errors import OptionNotUsable
from sudare.progress import Progress
from sudare.showing import dataclass

if TYPE_CHECKING:
    from sudare.baskets.certificate import Certificate
    from sudare.baskets.held import HeldBaskets
    from sudare.baskets.model import Baskets, SensitiveItems

KnownFrom = Literal["original", "published"]
StrategyOption = Annotated[
    Literal["paper", "swept", "best"],
    typer.Option(),
]
KeepLowOption = Annotated[
    Literal["items", "kl", "rules", "all"] | None,
    typer.Option(),
]
PublishedFormOption = Annotated[
    Literal["spaces", "commas", "spmf", "pairs"] | None,
    typer.Option(metavar="FORM"),
]
CertificateOption = Annotated[
    Path | None,
    READ,
    typer.Option(metavar="CERT"),
]


@dataclass(frozen=True, slots=True)
class BasketOptions(ReadingOptions):
    """The words that say which baskets to read and how."""

    file: Annotated[str, READ, typer.Argument(metavar="FILE")]
    written: Annotated[
        Literal["spaces", "commas", "spmf", "pairs", "history"] | None, typer.Option("--form", metavar="FORM")
    ] = None
    per: Annotated[Literal["customer", "visit"], typer.Option()] = "customer"
    column: Annotated[list[str] | None, typer.Option(metavar="ROLE=NAME")] = None
    date_format: Annotated[str | None, typer.Option(metavar="FORMAT")] = None
    bad_rows: Annotated[Literal["refuse", "drop"], typer.Option()] = "refuse"

    def read(self, progress: Progress) -> Baskets:
        """Read the baskets and tell how they were read."""
        return self.read_from(self.file, progress)

    def read_from(self, file: str, progress: Progress) -> Baskets:
        """Read the baskets of a file in the way that the options say."""
        from sudare.baskets.read import read_baskets

        with self.engine() as engine:
            found = read_baskets(
                file,
                **{**self._how(), **({} if file == self.file else {"rejects": None})},
                engine=engine,
                progress=progress,
            )
        tell_baskets(found)
        if self.rejects is not None and file == self.file:
            note_secret(self.rejects)
        return found

    def _how(self) -> dict[str, Any]:
        return {
            "form": self.written,
            "per": self.per,
            "columns": single_columns(pairs(self.column, "--column", "user=CustomerID")),
            **self.form(),
            "date_format": self.date_format,
            "bad_rows": self.bad_rows,
        }

    @contextmanager
    def hold(self, progress: Progress) -> Iterator[HeldBaskets]:
        """Put the baskets on the engine and tell how they were read."""
        from sudare.baskets.held import hold_baskets

        if self.written not in (None, "pairs", "history"):
            raise OptionNotUsable("errors.usage.text_on_cluster", form=self.written)
        with (
            self.engine() as engine,
            hold_baskets(
                self.file,
                **self._how(),
                engine=engine,
                progress=progress,
            ) as found,
        ):
            tell_reading(found.reading, self.rejects)
            note(
                "notes.baskets_held", count=found.users, items=found.items, occurrences=found.occurrences,
                longest=found.longest,
            )  # fmt: skip
            yield found


def tell_baskets(baskets: Baskets) -> None:
    """Say on stderr what was read, guessed and dropped, and what the baskets are."""
    if baskets.reading is None:
        return
    tell_reading(baskets.reading)
    lengths = baskets.lengths
    note(
        "notes.baskets", count=len(baskets), items=len(baskets.names), occurrences=len(baskets.items),
        longest=int(lengths.max(initial=0)), empty=int((lengths == 0).sum()),
    )  # fmt: skip
    if baskets.reading.duplicates:
        note("notes.counted_once", count=baskets.reading.duplicates)


@dataclass(frozen=True, slots=True, kw_only=True)
class GuaranteeOptions(BasketOptions):
    """The words of baskets, of their sensitive items and of the guarantee."""

    sensitive: Annotated[str, READ, typer.Option(metavar="FILE|RULE")]
    rho: Annotated[str, typer.Option(metavar="RHO")]
    max_known: Annotated[int | None, typer.Option(metavar="M")] = None
    epsilon: Annotated[float | None, typer.Option(metavar="SHARE", parser=share_of)] = None
    delta: Annotated[float | None, typer.Option(metavar="SHARE", parser=share_of)] = None
    unknown_items: Annotated[Literal["refuse", "ignore"], typer.Option()] = "refuse"

    def check(self) -> None:
        """Refuse a guarantee that cannot be meant, before anything is read."""
        from sudare.baskets.check.rho import exact_rho
        from sudare.baskets.check.sample_sizes import check_sampling

        exact_rho(self.rho)
        check_sampling(self.epsilon, self.delta)

    def read_sensitive(self, baskets: Baskets) -> SensitiveItems:
        """Read the sensitive items and tell what was ignored."""
        from sudare.baskets.sensitive import read_sensitive

        with self.engine() as engine:
            found = read_sensitive(self.sensitive, baskets, unknown=self.unknown_items, engine=engine)
        if found.reading and found.reading.unknown:
            note("notes.unknown_ignored", count=found.reading.unknown)
        return found

    def read_published(self, file: str, form: Any, original: Baskets, progress: Progress) -> Baskets:
        """Read published baskets; without a form they are as `sudare baskets suppress` would have written them."""
        from sudare.baskets.read import read_baskets
        from sudare.baskets.write import form_of

        with self.engine() as engine:
            found = read_baskets(
                file,
                form=form or form_of(Path(file), written_form(original)),
                allow_empty=True,
                engine=engine,
                progress=progress,
            )
        tell_baskets(found)
        if self.rejects is not None and file == self.file:
            note_secret(self.rejects)
        return found


def written_form(baskets: Baskets) -> str | None:
    """Return the form in which baskets were read, if they were."""
    return baskets.reading.form if baskets.reading else None


def asked_guarantee(
    source: GuaranteeOptions, adversary_knows: str | None, seed: int | None, certified: Certificate | None
) -> dict[str, Any]:
    """Return the guarantee that is asked for; what was not said is as the certificate says, if there is one."""
    from sudare.baskets.certificate_comparison import repeated_draws

    given = {name: getattr(source, name) for name in ("max_known", "epsilon", "delta")}
    given |= {"knowledge": adversary_knows, "seed": seed}
    otherwise: dict[str, Any] = {"knowledge": "original", "seed": 0}
    if certified:
        sampled = {"epsilon": certified.epsilon, "delta": certified.delta, "seed": certified.check_seed or 0}
        otherwise = {"knowledge": certified.knowledge, "max_known": certified.max_known, **sampled}
    found = {name: otherwise.get(name) if value is None else value for name, value in given.items()}
    # Another seed makes another test of its own; the same one repeats the look that is certified.
    repeated = certified if seed is None else None
    return {
        **found,
        "look": repeated.look if repeated else None,
        "draws": repeated_draws(repeated) if repeated else None,
    }
