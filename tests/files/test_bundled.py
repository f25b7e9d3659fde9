"""The data files of the package."""

from negation_evals.files.bundled import dataset_path


def test_datasets_holds_data_only() -> None:
    # A package of that name would hide the library `datasets` from anyone in the checkout.
    assert not list(dataset_path("frames.yaml").parent.glob("*.py"))
