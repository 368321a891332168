-- In the lake: how far the history of an article has been read. `place` is what the wiki said to go on from
-- (rvcontinue), empty once the whole history was read; `newest` is the newest revision known then.
CREATE TABLE IF NOT EXISTS cursors (
    wiki VARCHAR NOT NULL,
    pageid BIGINT NOT NULL,
    place VARCHAR NOT NULL,
    newest BIGINT NOT NULL,
    is_whole BOOLEAN NOT NULL,
    has_texts BOOLEAN NOT NULL,
    written_at TIMESTAMP NOT NULL
)
