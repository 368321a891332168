"""What credits do when a fetch is made, answers come, or turn out to be wrong."""

from __future__ import annotations

from ronda.credits import pricing
from ronda.grid.listening import Accepted, Listener, Replaced, Voided, register_listener
from ronda.grid.models import Fetch


class CreditsListener(Listener):
    def fetch_created(self, fetch: Fetch, queued: int) -> None:
        pricing.hold_price(fetch, queued)

    def accepted(self, accepted: Accepted) -> None:
        pricing.pay_for(accepted)

    def voided(self, voided: Voided) -> None:
        pricing.take_back(voided)

    def replaced(self, replaced: Replaced) -> None:
        pricing.pay_for_replacement(replaced)


register_listener(CreditsListener())
