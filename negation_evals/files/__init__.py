"""Files of the user and of the package: rows, strict parsing, hub data sets, writing."""
