"""The data files of the package."""

from pathlib import Path

from negation_evals.errors import DataError


def dataset_path(name: str) -> Path:
    """The data file `name`: beside the code in a wheel, else in the checkout's `datasets/`.

    A path, not a resource: in an editable install `negation_evals.datasets` cannot be imported.
    """
    package = Path(__file__).parent.parent
    for folder in (package / "datasets", package.parent / "datasets"):
        if (folder / name).is_file():
            return folder / name
    raise DataError(f"data file {name} is missing from this installation: reinstall negation_evals")
