"""The page of a source's noise: what is ignored, since when and why; undo, rules by hand, trials."""

from __future__ import annotations

import uuid
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_POST

from ronda.accounts.authentication import actor_of
from ronda.change.rules import LONGEST_PATTERN, RuleKind
from ronda.errors import Conflict, InvalidInput, http_status
from ronda.http.wording import attach
from ronda.rounds import noise, queries
from ronda.rounds.authority import is_changeable
from ronda.rounds.noise_models import NoiseRule, NoiseState


class RuleForm(forms.Form):
    kind = forms.ChoiceField(
        label=_("What to ignore"),
        choices=[
            (RuleKind.SELECTOR.value, _("elements, by CSS selector")),
            (RuleKind.NUMBERS.value, _("numbers in elements, by CSS selector")),
            (RuleKind.PATTERN.value, _("text, by regular expression")),
            (RuleKind.FIELD.value, _("a field of links, by its name")),
        ],
    )
    where = forms.CharField(
        label=_("Which"),
        max_length=LONGEST_PATTERN,
        help_text=_("Such as footer > p.clock, Visitors: \\d+ or sid."),
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "spellcheck": "false", "autocapitalize": "none"}
        ),
    )


@require_http_methods(["GET", "HEAD", "POST"])
def source_noise(request: HttpRequest, source_id: uuid.UUID) -> HttpResponse:
    actor = actor_of(request)
    source = queries.source_seen(actor, source_id)
    is_mine = is_changeable(actor, source)
    form = RuleForm(request.POST if request.method == "POST" else None)
    context: dict[str, Any] = {"source": source, "form": form, "is_mine": is_mine}
    status = 422 if form.errors else 200
    if form.is_valid():
        asked = {"kind": RuleKind(form.cleaned_data["kind"]), "where": form.cleaned_data["where"]}
        try:
            if "try" in request.POST:
                context["trials"] = noise.try_rule(actor=actor, source_id=source_id, **asked)
            else:
                noise.add_rule(actor=actor, source_id=source_id, **asked)
                messages.success(request, gettext("It is ignored from the next visit on."))
                return redirect("source-noise", source_id=source_id)
        except (InvalidInput, Conflict) as error:
            attach(form, error)
            status = http_status(error)
    rules = list(noise.rules_of(actor=actor, source_id=source_id))
    context |= {
        "rules": [rule for rule in rules if rule.is_in_force],
        "others": [rule for rule in rules if not rule.is_in_force],
        "undone": NoiseState.UNDONE.value,
    }
    return render(request, "rounds/noise.html", context, status=status)


@require_POST
def undo(request: HttpRequest, source_id: uuid.UUID, rule_id: int) -> HttpResponse:
    rule = noise.undo(actor=actor_of(request), source_id=source_id, rule_id=rule_id)
    return _done(request, rule, gettext("It counts again, and is not learnt a second time."))


@require_POST
def redo(request: HttpRequest, source_id: uuid.UUID, rule_id: int) -> HttpResponse:
    rule = noise.put_in_force(actor=actor_of(request), source_id=source_id, rule_id=rule_id)
    return _done(request, rule, gettext("It is ignored from the next visit on."))


def _done(request: HttpRequest, rule: NoiseRule, said: str) -> HttpResponse:
    messages.success(request, said)
    return redirect("source-noise", source_id=rule.source_id)
