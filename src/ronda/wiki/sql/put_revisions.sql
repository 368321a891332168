-- In the lake: those of `incoming` that are new, and those that changed since (tags, visibility, title). The format of a
-- text is told with the text only, and stays known when a revision is read again without it.
MERGE INTO revisions AS known
USING incoming
ON known.wiki = $wiki AND known.revid BETWEEN $lowest AND $highest AND known.revid = incoming.revid
WHEN MATCHED AND (
    known.pageid, known.parentid, known.title, known."user", known.userid, known.size, known.sha1,
    known.contentmodel, known.contentformat, known.comment, known.parsedcomment, known.tags, known.minor,
    known.is_user_hidden, known.is_comment_hidden, known.is_text_hidden
) IS DISTINCT FROM (
    incoming.pageid, incoming.parentid, incoming.title, incoming."user", incoming.userid, incoming.size, incoming.sha1,
    coalesce(incoming.contentmodel, known.contentmodel), coalesce(incoming.contentformat, known.contentformat),
    incoming.comment, incoming.parsedcomment, incoming.tags, incoming.minor,
    incoming.is_user_hidden, incoming.is_comment_hidden, incoming.is_text_hidden
) THEN UPDATE SET
    pageid = incoming.pageid,
    parentid = incoming.parentid,
    title = incoming.title,
    "user" = incoming."user",
    userid = incoming.userid,
    timestamp = incoming.timestamp,
    size = incoming.size,
    sha1 = incoming.sha1,
    contentmodel = coalesce(incoming.contentmodel, known.contentmodel),
    contentformat = coalesce(incoming.contentformat, known.contentformat),
    comment = incoming.comment,
    parsedcomment = incoming.parsedcomment,
    tags = incoming.tags,
    minor = incoming.minor,
    is_user_hidden = incoming.is_user_hidden,
    is_comment_hidden = incoming.is_comment_hidden,
    is_text_hidden = incoming.is_text_hidden,
    extraction_date = incoming.extraction_date
WHEN NOT MATCHED THEN INSERT
