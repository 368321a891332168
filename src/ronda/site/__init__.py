"""How Django is put together here: settings, addresses, the ASGI application and the process that serves it."""
