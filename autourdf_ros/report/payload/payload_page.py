"""report.html of a payload, self-contained."""

from __future__ import annotations

import base64
from pathlib import Path

import jinja2

from autourdf_ros.report.payload.payload_account import PayloadAccount
from autourdf_ros.report.payload.payload_figures import draw_body, draw_wrenches


def write_payload_report(account: PayloadAccount, folder: Path) -> Path:
    """Write `folder`/report.html and `folder`/figures; return the page's path."""
    figures = folder / "figures"
    figures.mkdir()
    pictures = {}
    for name, draw in (("body", draw_body), ("wrenches", draw_wrenches)):
        path = figures / f"{name}.svg"
        draw(account, path)
        pictures[name] = base64.b64encode(path.read_bytes()).decode()
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("autourdf_ros.report", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page = folder / "report.html"
    text = environment.get_template("payload.html.jinja").render(
        name=account.name,
        document=account.document,
        pictures=pictures,
        std=account.document["std"],
        residual=_residual(account),
    )
    page.write_text(text, encoding="utf-8")
    return page


def _residual(account: PayloadAccount) -> list[float]:
    """Root mean square of what is left of forces and torques."""
    rest = (account.measured - account.predicted).reshape(-1, 2, 3)
    return [float(value) for value in ((rest**2).sum(2).mean(0)) ** 0.5]
