-- Keep the text of a payload for the search; a text that is known stays as it is.
INSERT INTO archive_text (digest, title, text, language, dictionary, words)
VALUES (%(digest)s, %(title)s, %(text)s, %(language)s, %(dictionary)s,
        setweight(to_tsvector(%(dictionary)s::regconfig, %(title)s), 'A')
        || setweight(to_tsvector(%(dictionary)s::regconfig, %(text)s), 'B'))
ON CONFLICT (digest) DO NOTHING
