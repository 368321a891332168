"""Why a row is left out on its way in, in the words that answers count it under."""

from __future__ import annotations

NOT_UTF8 = "not UTF-8"
TOO_BIG = "a field is too big"
ROW_TOO_BIG = "a row is too big"
BROKEN_QUOTING = "broken quoting"
WRONG_NUMBER_OF_COLUMNS = "wrong number of columns"
NOT_JSON = "not a JSON object"
NOT_A_NUMBER = "not a number"
NOT_A_DATE = "not a date"
NOT_TRUE_OR_FALSE = "neither true nor false"
NOT_A_LIST = "not a list or object"
WRONG_TYPE = "a value of the wrong type"
