"""The predictors that may be chosen, and what is taken if nobody chose one."""

from __future__ import annotations

from ronda.errors import InvalidInput
from ronda.prediction import catalogue
from ronda.prediction.errors import BadTerms, NoSuchPredictor

# The one that did best on the source's own history.
AUTO = "auto"
OURS = "ronda"
PREDICTORS = catalogue.names()
DEFAULT = OURS
# Of one source they are a fixed interval: they divide a budget over many.
OF_MANY = ("azar", "fixed", "lambdacrawl")
CANDIDATES = tuple(name for name in PREDICTORS if name not in OF_MANY)
LONGEST_NAME = 40


def checked(name: str) -> str:
    """A predictor's name, `auto`, or nothing: whoever is asked next decides."""
    name = name.strip()
    if name in ("", AUTO):
        return name
    try:
        catalogue.make(name)
    except (NoSuchPredictor, BadTerms) as error:
        raise InvalidInput(str(error), field="predictor") from None
    return name[:LONGEST_NAME]
