"""The API door: puts the rooms' routers together and shapes their errors."""
