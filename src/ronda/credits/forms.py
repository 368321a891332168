"""What a director books."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

TOP_UP, PAY_OUT = "top-up", "pay-out"


class BookingForm(forms.Form):
    what = forms.ChoiceField(
        label=_("What"),
        choices=[(TOP_UP, _("top up a client's balance")), (PAY_OUT, _("note that a contributor was paid"))],
    )
    email = forms.EmailField(label=_("Mail address"), max_length=254)
    amount = forms.DecimalField(label=_("Amount"), max_digits=16, decimal_places=6, min_value=0)
    note = forms.CharField(label=_("Reason"), max_length=200, required=False)
