-- What texts say around the words: only for those that are shown, as it reads each from its beginning.
SELECT id, title,
       ts_headline(dictionary::regconfig, left(text, %(most_letters)s),
                   websearch_to_tsquery(dictionary::regconfig, %(words)s), %(options)s)
  FROM archive_text
 WHERE id = ANY(%(ids)s)
