"""The figures of the baskets report."""

from __future__ import annotations

import numpy as np

from sudare.messages import Texts
from sudare.report.baskets.findings import Findings, Losses, Side
from sudare.report.charts.vega import ShareBar, cumulative_curve, share_bars
from sudare.report.numbers import Numbers
from sudare.report.page import Figure, Panel, panel, shortened
from sudare.report.table.figures import MOST_NAME_LETTERS

MOST_BARS = 15
# A curve is drawn through this number of quantiles; more cannot be told apart at its size.
QUANTILES = 200


def baskets_figures(findings: Findings, texts: Texts) -> dict[str, Figure]:
    """Return the figures by name; without anything suppressed there are no bars."""
    draw = _Figures(texts)
    found = {"confidence": draw.confidence(findings)} if len(findings.before.users.greatest) else {}
    return found | losses_figures(findings.losses, texts)


def losses_figures(found: Losses, texts: Texts) -> dict[str, Figure]:
    """Return the figure of what was suppressed; without anything suppressed there is none."""
    return {"losses": _Figures(texts).losses(found)} if found.most else {}


class _Figures:
    def __init__(self, texts: Texts) -> None:
        self.texts = texts
        self.numbers = Numbers(texts)

    def confidence(self, findings: Findings) -> Figure:
        panels = (self._curve("before", findings.before), self._curve("after", findings.after))
        rho = self.texts.exact_percent(findings.after.verdict.rho)
        return Figure(panels, self.texts("report.baskets.confidence.caption", rho=rho))

    def _curve(self, key: str, side: Side) -> Panel:
        label, users = self.texts(f"report.baskets.{key}"), side.users
        shares = np.linspace(0, 1, QUANTILES + 1)
        reached = np.quantile(users.greatest, shares, method="inverted_cdf")
        chart = cumulative_curve(
            list(zip(reached.tolist(), shares.tolist(), strict=True)),
            axes=(self.texts("report.baskets.confidence.x"), self.texts("report.baskets.confidence.y")),
            title=self.texts("report.baskets.confidence.title", label=label),
            description=self.texts(
                "report.baskets.confidence.description",
                highest=self.numbers.percent(side.highest),
                share=self.numbers.percent(users.users_at_risk / len(users.at_risk)),
                rho=self.texts.exact_percent(side.verdict.rho),
            ),
            limit=float(side.verdict.rho),
        )
        return panel(chart, self.texts, label)

    def losses(self, found: Losses) -> Figure:
        shown = found.most[:MOST_BARS]
        labels = [shortened(loss.item, self.texts, most=MOST_NAME_LETTERS) for loss in shown]
        if len(set(labels)) < len(labels):
            # Rows of one label would lie on each other.
            labels = [self.texts("report.label.numbered", number=n, label=name) for n, name in enumerate(labels, 1)]
        shares = [
            ShareBar(label, loss.share, self.numbers.percent(loss.share))
            for label, loss in zip(labels, shown, strict=True)
        ]
        said = [self.texts("report.baskets.losses.spoken", item=share.label, share=share.text) for share in shares]
        chart = share_bars(
            shares,
            axis=self.texts("report.baskets.losses.axis"),
            title=self.texts("report.baskets.losses.title"),
            description=self.texts("list.comma").join(said),
        )
        return Figure((panel(chart, self.texts),), self.texts("report.baskets.losses.caption"))
