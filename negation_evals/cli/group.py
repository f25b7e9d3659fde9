"""How commands end: wrong input in one line with exit code 2, signals as in a shell."""

import math
import os
import sys
from typing import Any, Final

import click

from negation_evals.errors import DataError


class Commands(click.Group):
    """Commands whose wrong input ends in one line and exit code 2, never in a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; a fault of the user's data is a usage error.

        Signals give the usual shell exit codes, so that no gate takes it for an
        answer.
        """
        try:
            return super().invoke(ctx)
        except DataError as error:
            raise click.UsageError(" ".join(str(error).split())) from error
        except KeyboardInterrupt:
            click.echo("Interrupted.", err=True)
            ctx.exit(INTERRUPTED)
        except BrokenPipeError:
            _drop_output()
            ctx.exit(CLOSED_PIPE)
        except SystemExit as end:
            # Rich ends the program itself, with 1.
            if isinstance(end.__context__, BrokenPipeError):
                ctx.exit(CLOSED_PIPE)
            raise
        except OSError as error:
            _drop_output()
            raise click.UsageError(f"the output cannot be written: {error.strerror}") from error


INTERRUPTED: Final = 130
CLOSED_PIPE: Final = 141


def _drop_output() -> None:
    """Let what is still to be flushed go nowhere: it would fail again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Share(click.FloatRange):
    """A number within limits: Click's own lets NaN pass, which no comparison holds back."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number, or a usage error."""
        number = float(super().convert(value, param, ctx))
        if math.isnan(number):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return number
