"""The console door: pages for people, rendered on the server, live through htmx."""
