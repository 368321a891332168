"""Why a URL was not fetched: the codes that stand in `metadata` records, in the local log and in the console."""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    # The URL itself.
    TOO_LONG = "too-long"
    CONTROL_CHARACTER = "control-character"
    SCHEME = "scheme"
    USERINFO = "userinfo"
    BAD_HOST = "bad-host"
    IP_LITERAL = "ip-literal"
    LOCAL_NAME = "local-name"
    PORT = "port"
    # The way to the host.
    DNS = "dns"
    REFUSED_ADDRESS = "refused-address"
    CONNECT = "connect"
    TLS = "tls"
    TIMEOUT = "timeout"
    # What came back.
    DISCONNECTED = "disconnected"
    BAD_HTTP = "bad-http"
    TOO_MANY_HEADERS = "too-many-headers"
    NESTED_ENCODING = "nested-encoding"
    # This machine.
    NOT_ALLOWED = "not-allowed"
    STOPPED = "stopped"


# The host, not the URL, is to blame: the next URL of the same host would most likely end the same way.
OF_THE_HOST = frozenset({Reason.DNS, Reason.REFUSED_ADDRESS, Reason.CONNECT, Reason.TLS, Reason.TIMEOUT})
# The host was never asked anything: no delay is due after these.
BEFORE_THE_HOST = frozenset(
    {
        Reason.TOO_LONG, Reason.CONTROL_CHARACTER, Reason.SCHEME, Reason.USERINFO, Reason.BAD_HOST, Reason.IP_LITERAL,
        Reason.LOCAL_NAME, Reason.PORT, Reason.DNS, Reason.REFUSED_ADDRESS, Reason.NOT_ALLOWED,
    }
)  # fmt: skip
