"""Pages of people: coming in and out, one's account, tokens, and the people administrators look after."""
