"""The certificate as a page: everything on it comes from `certificate.json`."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from negation_evals.certification.figure import FIGURE, tiered_means, tiers
from negation_evals.certification.sections import certificate_sections
from negation_evals.errors import DataError
from negation_evals.files.write import write_files
from negation_evals.report.documents.html import render_html
from negation_evals.report.documents.markdown import render_markdown
from negation_evals.report.figures.style import png_bytes, svg_text

CAPTIONS: Final = {
    FIGURE: "Mean NSI of each domain (point) with its interval (line), on the tiers that hold for "
    "the domain. An interval that crosses a border leaves the tier undecided. Noise raises the "
    "observed value, so it can lie above its interval, which takes the noise into account."
}


def write_certificate(certificate: Mapping[str, Any], out: Path) -> None:
    """Write `certificate.json`, its pages (`.html`, `.md`) and their figure into a folder.

    Raises:
        DataError: the folder cannot be written.
    """
    header = {
        "title": certificate["title"],
        "generated": certificate["generated"],
        "version": certificate["negation_evals_version"],
        "inspect_version": certificate["inspect_version"],
    }
    sections = certificate_sections(certificate)
    # The looks of an adaptive audit have confidences of their own.
    confidence = None if certificate["adaptive"] else certificate["confidence"]
    figure = tiers(tiered_means(certificate), confidence)
    svgs = {FIGURE: svg_text(figure)}
    files: dict[str, str | bytes] = {
        "certificate.json": json.dumps(certificate, indent=1, ensure_ascii=False) + "\n",
        "certificate.html": render_html(header, sections, svgs, CAPTIONS),
        "certificate.md": render_markdown(header, sections, CAPTIONS),
        f"figures/{FIGURE}.png": png_bytes(figure),
    }
    try:
        write_files(out, files)
    except OSError as error:
        raise DataError(f"{out}: the certificate cannot be written: {error.strerror}") from error
