"""HEAD on the API: what GET would answer, without the body (RFC 9110 §9.3.2). Pages know it by themselves."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse

API_PATH = "/api/"


class HeadMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method != "HEAD" or not request.path.startswith(API_PATH):
            return self.get_response(request)
        request.method = "GET"
        response = self.get_response(request)
        request.method = "HEAD"
        return _without_body(response)


def _without_body(response: HttpResponse) -> HttpResponse:
    empty = HttpResponse(status=response.status_code, headers=dict(response.items()))
    empty.cookies = response.cookies
    if isinstance(response, StreamingHttpResponse):
        # Nobody reads it: not even begun.
        response.close()
    else:
        empty.headers["Content-Length"] = str(len(response.content))
    return empty
