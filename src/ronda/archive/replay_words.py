"""The pages of the guard itself, in both languages: it has no Django, and does not know who reads."""

from __future__ import annotations

from html import escape
from http import HTTPStatus

START = '<!doctype html><meta charset="utf-8"><title>Ronda</title>'
# For a capture that can be no answer of HTTP any more.
UNREPLAYABLE = HTTPStatus.BAD_GATEWAY

NOT_KEPT = ("This address is not kept in this collection.", "Esta dirección no está en esta colección.")
NOT_SHOWN = (
    "This capture cannot be replayed. It is kept as it came, and an export has it.",
    "Esta captura no se puede reproducir. Se conserva tal como llegó, y una exportación la contiene.",
)


def closed_page(address: str) -> str:
    """`address`: where the console asks whether to open it."""
    link = f'<a target="_top" href="{escape(address)}">'
    return (
        f"{START}<p>Not open to you, or not any more. {link}Open it in Ronda</a></p>"
        f'<p lang="es">No está abierto para usted, o ya no. {link}Abrirlo en Ronda</a></p>'
    )


def failed_page(status: int) -> str:
    english, spanish = NOT_KEPT if status == HTTPStatus.NOT_FOUND else NOT_SHOWN
    return f'{START}<p>{english}</p><p lang="es">{spanish}</p>'
