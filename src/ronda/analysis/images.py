"""The image of the happiest meme, fetched by the grid: as politely as any page, and kept in the archive."""

from __future__ import annotations

import logging

from django.db import transaction

from ronda.analysis.answer_bodies import rows_of
from ronda.analysis.models import AnswerRow, AnswerState
from ronda.errors import RondaError
from ronda.grid.fetches import create_fetch

logger = logging.getLogger(__name__)

SET, QUESTION, COLUMN = "reddit", "happiest_meme", "url"
# Seconds: an image that was fetched this week is the same.
MAX_AGE = 7 * 86400


def fetch_image(row: AnswerRow) -> None:
    """Of the set's own question, as it stands; once, with the answer's row. That it cannot be had fails no answer."""
    fresh = AnswerRow.objects.select_related("session__owner").filter(pk=row.pk, fetch=None).first()
    if fresh is None or fresh.key or (fresh.session.questions, fresh.question) != (SET, QUESTION):
        return
    if fresh.session.sql or fresh.state != AnswerState.DONE or not fresh.row_count:
        return
    place = [column["name"] for column in fresh.columns].index(COLUMN)
    url = str(rows_of(fresh.body)[0][place])
    try:
        with transaction.atomic():
            fresh.fetch = create_fetch(actor=fresh.session.owner, urls=[url], max_age_seconds=MAX_AGE)
            fresh.save(update_fields=["fetch"])
    except RondaError as error:
        logger.info("the image of session %s cannot be fetched: %s", fresh.session_id, error)
        warnings = [*fresh.warnings, f"Its image is not fetched: {error}"]
        AnswerRow.objects.filter(pk=row.pk).update(warnings=warnings)
