# Makes .venv with Ronda in it. Sourced by ./run and ./test; works with no virtual environment active or any.
# shellcheck shell=bash

say() { printf '\033[2m· %s\033[0m\n' "$*" >&2; }
fail() { printf 'ronda: %s\n' "$*" >&2; exit 2; }
is_root_on_debian() { [ "$(id -u)" = 0 ] && [ -e /etc/debian_version ] && command -v apt-get >/dev/null; }

find_python() {
    local candidate
    for candidate in python3 python3.14 python3.13 python3.12 python3.11; do
        command -v "$candidate" >/dev/null &&
            "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null &&
            { "$candidate" -c 'import sys; print(sys.executable)'; return; }
    done
    fail "Python 3.11 or newer was not found. Install it (Debian: apt install python3 python3-venv) and try again."
}

make_venv() {
    local python="$1"
    "$python" -c 'import ensurepip, venv' 2>/dev/null || {
        is_root_on_debian || fail "$python cannot make virtual environments. Debian: apt install python3-venv"
        say "installing python3-venv"
        apt-get update -qq >/dev/null && apt-get install -y -qq python3-venv >/dev/null
    }
    rm -rf .venv
    "$python" -m venv .venv
}

# prepare_environment EXTRAS: installs both distributions, once per change of what they need.
prepare_environment() {
    local extras="$1" python wanted stamp
    # As root, PostgreSQL runs under another account, which must be able to read its programs.
    umask 022
    unset VIRTUAL_ENV PYTHONHOME PYTHONPATH
    wanted="$extras $PWD $(cat pyproject.toml node/pyproject.toml constraints.txt | cksum)"
    stamp=.venv/installed-for-${extras:-nothing-more}
    if [ -x .venv/bin/ronda ] && .venv/bin/python -c '' 2>/dev/null && [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then
        return
    fi
    if ! .venv/bin/python -c 'import pip' 2>/dev/null; then
        python=$(find_python)
        say "making .venv with $python"
        make_venv "$python"
    fi
    say "installing Ronda${extras:+ and its $extras tools} into .venv (once; a minute or two)"
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-input \
        -c constraints.txt -e ./node -e ".${extras:+[$extras]}" ||
        fail "pip could not install what Ronda needs; what it said stands above."
    printf '%s' "$wanted" >"$stamp"
}

# pywb (replay) and wacz (export) are run, not imported, from an environment of their own: what they need does not go
# with what we need. Ronda works without them, so a failure is one line.
prepare_replay() {
    local wanted stamp=.venv/replay/installed-for
    wanted="$PWD $(cksum <constraints-replay.txt)"
    [ "$(cat "$stamp" 2>/dev/null)" != "$wanted" ] || return 0
    say "installing pywb and wacz into .venv/replay (once; a minute or two)"
    if .venv/bin/python -m venv .venv/replay && .venv/replay/bin/python -m pip install --quiet \
        --disable-pip-version-check --no-input -c constraints-replay.txt pywb wacz >.venv/replay.log 2>&1; then
        printf '%s' "$wanted" >"$stamp"
    else
        say "replay is not installed: pip could not; .venv/replay.log says why. All else works."
    fi
}

# A real MediaWiki for the tests of wikis, run by PHP's own server. Debian's package would bring Apache and start it, so
# only PHP is installed; MediaWiki itself is unpacked into .venv/mediawiki. Without it those tests are skipped.
prepare_mediawiki() {
    local home=.venv/mediawiki php=(php-cli php-sqlite3 php-mbstring php-xml php-intl)
    if [ -e "$home/ready" ] && command -v php >/dev/null; then
        return 0
    fi
    is_root_on_debian || return 0
    say "installing PHP and unpacking MediaWiki for the tests of wikis (once; a minute)"
    rm -rf "$home" && mkdir -p "$home/packages"
    {
        apt-get update -qq && apt-get install -y -qq --no-install-recommends "${php[@]}" &&
            (cd "$home/packages" && apt-get download -qq mediawiki mediawiki-classes) &&
            for package in "$home"/packages/*.deb; do dpkg-deb -x "$package" "$home/unpacked" || return 0; done &&
            mv "$home/unpacked/usr/share/mediawiki" "$home/site" &&
            # They lead to folders of an installed package.
            rm -rf "$home"/site/{config,images,LocalSettings.php,extensions} "$home/packages" &&
            ln -s extensions-core "$home/site/extensions" && mkdir "$home/site/images" && touch "$home/ready"
    } >"$home.log" 2>&1 || true
}
