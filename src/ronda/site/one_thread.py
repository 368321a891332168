"""A request has one thread from its first middleware to its last.

Django's own handler, under ASGI, changes the thread at every middleware that is not written for it, back and forth some
thirty times a request; each time whoever computes in this process has to let go of the interpreter first.
"""

from __future__ import annotations

from collections.abc import Callable

from asgiref.sync import async_to_sync, sync_to_async
from django.conf import settings
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from servestatic.middleware import ServeStaticMiddleware


class OneThread(ASGIHandler):
    """The chain of middlewares as under WSGI, in a thread beside the loop."""

    def load_middleware(self, is_async: bool = False) -> None:
        super().load_middleware(is_async=False)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        return await sync_to_async(self.get_response, thread_sensitive=True)(request)


class StaticFilesMiddleware:
    """Files go through the loop, as they are sent by it; all else passes by without leaving its thread."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response
        self._serve = async_to_sync(ServeStaticMiddleware(sync_to_async(get_response)))

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        is_file = request.path_info.startswith(settings.STATIC_URL)
        return self._serve(request) if is_file else self._get_response(request)
