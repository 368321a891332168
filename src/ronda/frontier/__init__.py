"""What may be fetched now: durable requests, and the politeness state of every host, whoever fetches."""
