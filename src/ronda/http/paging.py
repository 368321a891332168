"""Lists come in pages and in an order: `page`, `page_size` and `sort` on every one, in API and console alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Annotated, Any, Generic, TypeVar

from django.db.models import F, Model, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext
from ninja import Schema
from pydantic import Field

from ronda.errors import InvalidInput

Row = TypeVar("Row", bound=Model)
Item = TypeVar("Item")
Shown = TypeVar("Shown")

MAX_PAGE = 1_000_000
MAX_PAGE_SIZE = 500


class PageRequest(Schema):
    """What a client may say about the page it wants."""

    page: Annotated[int, Field(ge=1, le=MAX_PAGE, description="Page, from 1.")] = 1
    page_size: Annotated[int, Field(ge=1, le=MAX_PAGE_SIZE, description="Rows a page.")] = 50
    sort: Annotated[
        str, Field(max_length=60, description="Field to sort by; a leading - turns the order round.")
    ] = ""


class PageOf(Schema, Generic[Shown]):
    """A page of a list in the API."""

    items: list[Shown]
    page: int
    page_size: int
    total: int


@dataclass(frozen=True)
class Page(Generic[Item]):
    items: list[Item]
    page: int
    page_size: int
    total: int
    sort: str

    @property
    def pages(self) -> int:
        return max(1, ceil(self.total / self.page_size))

    @property
    def previous(self) -> int | None:
        return self.page - 1 if self.page > 1 else None

    @property
    def next(self) -> int | None:
        return self.page + 1 if self.page < self.pages else None


def paginate(
    rows: QuerySet[Row], wanted: PageRequest, *, sortable: Mapping[str, str], default: str
) -> Page[Row]:
    """One page of `rows`; `sortable` maps what a client may say to the field it means."""
    sort, name = _order(wanted, sortable, default)
    field = F(sortable[name])
    # The key breaks ties, or rows could stand on two pages or on none.
    ordered = rows.order_by(
        field.desc(nulls_last=True) if sort.startswith("-") else field.asc(nulls_first=True), "pk"
    )
    start = (wanted.page - 1) * wanted.page_size
    items = list(ordered[start : start + wanted.page_size])
    return Page(items, wanted.page, wanted.page_size, ordered.count(), sort)


def paginate_list(
    rows: Sequence[Item], wanted: PageRequest, *, sortable: Mapping[str, Callable[[Item], Any]], default: str
) -> Page[Item]:
    """One page of `rows` that no table holds."""
    sort, name = _order(wanted, sortable, default)
    ordered = sorted(rows, key=sortable[name], reverse=sort.startswith("-"))
    start = (wanted.page - 1) * wanted.page_size
    return Page(ordered[start : start + wanted.page_size], wanted.page, wanted.page_size, len(ordered), sort)


def _order(wanted: PageRequest, sortable: Mapping[str, object], default: str) -> tuple[str, str]:
    """The order asked for, as it was said, and the name in it."""
    sort = wanted.sort or default
    name = sort.removeprefix("-")
    if name not in sortable:
        values = {"name": name, "choices": ", ".join(sorted(sortable))}
        raise InvalidInput(
            gettext("Cannot sort by “%(name)s”; choose from %(choices)s.") % values, field="sort"
        )
    return sort, name


def page_wanted(request: HttpRequest, page_size: int = 25) -> PageRequest:
    """The page a person asked for in the console; nonsense in the address bar means the first one."""
    number = request.GET.get("page", "1")
    page = (
        int(number)
        if len(number) < 10 and number.isascii() and number.isdigit() and 1 <= int(number) <= MAX_PAGE
        else 1
    )
    return PageRequest(page=page, page_size=page_size, sort=request.GET.get("sort", "")[:60])
