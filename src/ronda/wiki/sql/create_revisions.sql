-- In the lake: every revision of every article, once. `wiki` is Wiki.key; times are UTC.
-- What a wiki hides is NULL, and a flag says so; sha1 is hexadecimal, as the API has it.
CREATE TABLE IF NOT EXISTS revisions (
    wiki VARCHAR NOT NULL,
    pageid BIGINT NOT NULL,
    revid BIGINT NOT NULL,
    parentid BIGINT NOT NULL,
    title VARCHAR NOT NULL,
    "user" VARCHAR,
    userid BIGINT,
    timestamp TIMESTAMP NOT NULL,
    size BIGINT,
    sha1 VARCHAR,
    contentmodel VARCHAR,
    contentformat VARCHAR,
    comment VARCHAR,
    parsedcomment VARCHAR,
    tags VARCHAR[],
    minor BOOLEAN NOT NULL,
    is_user_hidden BOOLEAN NOT NULL,
    is_comment_hidden BOOLEAN NOT NULL,
    is_text_hidden BOOLEAN NOT NULL,
    extraction_date TIMESTAMP NOT NULL
)
