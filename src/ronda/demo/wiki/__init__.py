"""The demo wiki: a few articles, thousands of revisions, and the parts of the MediaWiki API that read them."""
