"""Questions about big tables: what is asked, how tables come in, which engine answers."""
