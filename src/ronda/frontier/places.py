"""Where addresses are: their country, by the registries' own lists (they come with a package), and its continent.

Looked up once, when a host's or a node's address becomes known; never while work is handed out.
"""

from __future__ import annotations

import ipaddress
from functools import lru_cache

from iptocc import country_code

_CONTINENTS = {
    "AF": "AO BF BI BJ BW CD CF CG CI CM CV DJ DZ EG EH ER ET GA GH GM GN GQ GW KE KM LR LS LY MA MG ML MR MU MW MZ "
    "NA NE NG RE RW SC SD SH SL SN SO SS ST SZ TD TG TN TZ UG YT ZA ZM ZW",
    "AN": "AQ BV GS HM TF",
    "AS": "AE AF AM AZ BD BH BN BT CC CN CX GE HK ID IL IN IO IQ IR JO JP KG KH KP KR KW KZ LA LB LK MM MN MO MV MY "
    "NP OM PH PK PS QA SA SG SY TH TJ TL TM TR TW UZ VN YE",
    "EU": "AD AL AT AX BA BE BG BY CH CY CZ DE DK EE ES FI FO FR GB GG GI GR HR HU IE IM IS IT JE LI LT LU LV MC MD "
    "ME MK MT NL NO PL PT RO RS RU SE SI SJ SK SM UA VA XK",
    "NA": "AG AI AW BB BL BM BQ BS BZ CA CR CU CW DM DO GD GL GP GT HN HT JM KN KY LC MF MQ MS MX NI PA PM PR SV SX "
    "TC TT US VC VG VI",
    "OC": "AS AU CK FJ FM GU KI MH MP NC NF NR NU NZ PF PG PN PW SB TK TO TV UM VU WF WS",
    "SA": "AR BO BR CL CO EC FK GF GY PE PY SR UY VE",
}
_CONTINENT_OF = {
    country: continent for continent, countries in _CONTINENTS.items() for country in countries.split()
}


def country_of(address: str) -> str:
    """Two capital letters, or nothing if it is not known."""
    found = country_code(address) or ""
    return found if is_country(found) else ""


@lru_cache(maxsize=10_000)
def is_public(address: str) -> bool:
    """Anybody may reach it, so that its country says where it is."""
    try:
        return ipaddress.ip_address(address).is_global
    except ValueError:
        return False


def continent_of(country: str) -> str:
    return _CONTINENT_OF.get(country, "")


def is_country(code: str) -> bool:
    return code in _CONTINENT_OF


def address_in(authority: str) -> str:
    """The address that a host is called by, with its port or without; nothing if it has a name."""
    name = authority if authority.endswith("]") else authority.rpartition(":")[0] or authority
    return canonical_address(name.strip("[]"))


def canonical_address(text: str) -> str:
    """An address as everybody writes it; nothing if it is none."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return ""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped:
            return str(address.ipv4_mapped)
        # The name of an interface says nothing to others.
        return str(ipaddress.IPv6Address(int(address)))
    return str(address)
