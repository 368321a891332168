"""What can go wrong with wikis.

InvalidInput
├── ContactMissing     RONDA_CONTACT is not set
└── NotAWiki           the address is not one a MediaWiki's API could have
NotFound
└── NoSuchArticle      nothing of it was extracted
Unavailable
├── WikiSilent         it did not answer sensibly for long; what was read is kept
└── WikiRefuses        it answered that it will not tell
"""

from __future__ import annotations

from ronda.errors import InvalidInput, NotFound, Unavailable


class ContactMissing(InvalidInput):
    """Wikis want to know whom to turn to. Set RONDA_CONTACT to your mail or web address and start Ronda again."""


class NotAWiki(InvalidInput):
    """This is not an address of a MediaWiki."""


class NoSuchArticle(NotFound):
    """Nothing of this article was extracted."""


class WikiSilent(Unavailable):
    """The wiki did not answer. What was read is kept: extract it again later, and it goes on from there."""


class WikiRefuses(Unavailable):
    """The wiki refused to answer."""
