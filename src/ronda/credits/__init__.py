"""What clients pay and contributors earn: an append-only ledger in which every transfer adds up to nothing."""
