-- In the lake: every text once, however many revisions have it (reverts repeat texts).
CREATE TABLE IF NOT EXISTS texts (
    sha1 VARCHAR NOT NULL,
    text VARCHAR NOT NULL
)
