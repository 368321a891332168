"""What can be wrong with what the simulator is given.

InvalidInput
├── NoSuchPredictor   a name that is no file of predictors/
├── NoSuchScenario    a name that is no made scenario
├── BadTerms          an argument or number out of its bounds
└── BadTrace          a trace that cannot be read; names the line
"""

from __future__ import annotations

from ronda.errors import InvalidInput


class NoSuchPredictor(InvalidInput):
    """There is no such predictor."""


class NoSuchScenario(InvalidInput):
    """There is no such scenario."""


class BadTerms(InvalidInput):
    """The simulation was asked for something out of bounds."""


class BadTrace(InvalidInput):
    """The trace cannot be read."""
