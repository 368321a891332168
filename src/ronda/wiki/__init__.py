"""Wikis: articles and their revisions, from any MediaWiki, kept fresh and proved complete."""
