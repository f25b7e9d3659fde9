"""What must hold of every figure."""

from matplotlib.figure import Figure
from matplotlib.transforms import Bbox


def assert_apart(boxes: list[Bbox]) -> None:
    for i, one in enumerate(boxes):
        assert not any(one.overlaps(other) for other in boxes[i + 1 :])


def assert_labels_apart(figure: Figure) -> None:
    """No two labels of an axis overlap, and none is cut off at the edge of the figure."""
    page = figure.bbox.padded(1)
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            labels = [label for label in axis.get_ticklabels() if label.get_text()]
            assert_apart([x.get_window_extent() for x in labels if x.get_visible()])
        box = axes.get_tightbbox()
        assert box is not None
        assert page.x0 <= box.x0
        assert box.x1 <= page.x1
        assert page.y0 <= box.y0
        assert box.y1 <= page.y1
