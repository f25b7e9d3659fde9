"""Imported first: tests see the installed package, however pytest was started.

`python -m pytest` puts the working directory first, where what a build left behind (egg-info) hides
the installed package, by whose metadata Inspect names tasks.
"""

import sys
from pathlib import Path

from helpers.paths import ROOT

sys.path[:] = [folder for folder in sys.path if Path(folder or ".").resolve() != ROOT]
