"""What the lake holds of wikis. `revisions` has a row a revision (key: wiki, revid), `texts` a row a text (key: sha1).

A text belongs to every revision with its sha1; a revision without one in `texts` was taken without texts.
`cursors` says how far an article's history was read; it is written in the transaction of the rows it speaks of.
"""

from __future__ import annotations

from ronda.database.named_sql import named_sql
from ronda.lake.tables import Table, register

REVISIONS = register(
    Table("revisions", named_sql("ronda.wiki", "create_revisions"), sorted_by=("wiki", "pageid", "revid"))
)
# In the order in which they came: a revision is much like the one before it, which is what makes them small.
TEXTS = register(Table("texts", named_sql("ronda.wiki", "create_texts")))
CURSORS = register(Table("cursors", named_sql("ronda.wiki", "create_cursors")))
