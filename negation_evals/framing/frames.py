"""The frames: wordings of a proposal (arXiv:2601.21433, Section 3.1)."""

from negation_evals.files.bundled import dataset_path
from negation_evals.files.rows import read_rows
from negation_evals.files.validation import Name, Row, Text, validate_rows


class Frame(Row):
    """One wording of a proposal (arXiv:2601.21433, Section 3.1)."""

    id: Name
    pattern: Text
    """Sentence with `{action}` or `{gerund}` and, where it is compound, `{goal}`."""
    negated: bool
    """Agreeing with the proposal opposes the action."""
    pair: Name | None = None
    """The frames of one pair differ in their negation alone."""


def load_frames() -> dict[str, Frame]:
    """All frames by id, in the file's order."""
    path = dataset_path("frames.yaml")
    return {frame.id: frame for frame in validate_rows(Frame, read_rows(path, "frames"), path)}


def frame_pairs() -> dict[str, tuple[str, str]]:
    """The pairs of frames that differ in their negation alone: name -> (affirmative, negated).

    NSI over one pair is `nsi(decisions, frames=frame_pairs()["simple"])`; `nsi_intervals` takes
    `frames` as well.
    """
    frames = [frame for frame in load_frames().values() if frame.pair is not None]
    negated = {frame.pair: frame.id for frame in frames if frame.negated}
    return {
        str(frame.pair): (frame.id, negated[frame.pair])
        for frame in frames
        if not frame.negated and frame.pair in negated
    }
