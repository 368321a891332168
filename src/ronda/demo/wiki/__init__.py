"""The demo wiki: a few articles, thousands of revisions, and the reading half of the MediaWiki API."""
