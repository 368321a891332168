"""What a history tells: when an article is edited, by whom, how much, what is undone. Pure: no Django, no database."""
