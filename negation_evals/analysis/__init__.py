"""Statistics over Inspect logs: tables in, tables out; no model is called, nothing is printed.

The public names stand in `__init__.pyi`, for type checkers and for this module alike. Each is
imported when it is first used: pandas and statsmodels take a second to load.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
