-- In the lake: those of `incoming` that are new, and those that changed since (tags, visibility, title).
MERGE INTO revisions AS known
USING incoming
ON known.wiki = $wiki AND known.revid BETWEEN $lowest AND $highest AND known.revid = incoming.revid
WHEN MATCHED AND (
    known.pageid, known.parentid, known.title, known."user", known.userid, known.size, known.sha1,
    known.comment, known.parsedcomment, known.tags, known.minor,
    known.is_user_hidden, known.is_comment_hidden, known.is_text_hidden
) IS DISTINCT FROM (
    incoming.pageid, incoming.parentid, incoming.title, incoming."user", incoming.userid, incoming.size,
    incoming.sha1, incoming.comment, incoming.parsedcomment, incoming.tags, incoming.minor,
    incoming.is_user_hidden, incoming.is_comment_hidden, incoming.is_text_hidden
) THEN UPDATE
WHEN NOT MATCHED THEN INSERT
