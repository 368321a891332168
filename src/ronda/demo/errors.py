"""What can go wrong in the demo web.

DemoError
├── AddressError       a loopback address cannot be used on this machine
├── PortError          no port is free on all the addresses
├── UnknownSiteError   no site of that name in the catalogue
├── ClockError         a move of the demo clock that makes no sense
└── ParameterError     a value sent to the control address cannot be read
"""

from __future__ import annotations


class DemoError(Exception):
    """Anything the demo web refuses to do; the message says what to do next."""


class AddressError(DemoError):
    """A loopback address other than 127.0.0.1 cannot be bound."""

    def __init__(self, address: str, reason: str) -> None:
        self.address = address
        super().__init__(
            f"The demo web cannot listen on {address}: {reason}. Linux serves all of 127.0.0.0/8; "
            f"on macOS add each address first with `sudo ifconfig lo0 alias {address} up` "
            "(`python -m ronda.demo --addresses` lists them all)."
        )


class PortError(DemoError):
    """The port is taken on at least one of the demo addresses."""

    def __init__(self, port: int, address: str) -> None:
        self.port = port
        self.address = address
        wanted = f"Port {port} is" if port else "Every port tried was"
        super().__init__(
            f"{wanted} already in use on {address}: stop what listens there, or choose another with RONDA_DEMO_PORT."
        )


class UnknownSiteError(DemoError):
    """The catalogue has no site of this name."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"The demo web has no site named {name!r}: /api/sites at the control address lists them."
        )


class ClockError(DemoError):
    """The demo clock was asked for something impossible."""


class ParameterError(DemoError):
    """A parameter of the control address could not be understood."""

    def __init__(self, name: str, expected: str) -> None:
        self.name = name
        super().__init__(f"Parameter {name!r}: expected {expected}.")
