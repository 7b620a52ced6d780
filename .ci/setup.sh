#!/usr/bin/env bash
# Set up what is missing and return at once when nothing is: `.ci/setup.sh [extra,extra,...]`.
# PYTHON chooses the interpreter. With the extra `spark`, a Java runtime is looked for as well.
set -euo pipefail
cd "$(dirname "$0")/.."

extras=${1:-}
oldest_java=17

fail() {
    echo "sjoin: $*" >&2
    exit 1
}

# Install Debian packages; fails where there is no apt-get, or neither root nor a silent sudo.
install_packages() {
    local as_root=()
    command -v apt-get >/dev/null || return 1
    if [ "$(id -u)" -ne 0 ]; then
        sudo -n true 2>/dev/null || return 1
        as_root=(sudo -n)
    fi
    echo "Installing $* through apt-get"
    # An outdated list of packages may still do, so a failing update is not the end.
    "${as_root[@]}" apt-get update -qq || true
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -qq -y --no-install-recommends "$@" >/dev/null
}

find_python() {
    local candidate
    for candidate in ${PYTHON:-python3 python3.13 python3.12 python3.11}; do
        # Run it rather than look for it: a version manager's stand-in may exist and not work.
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    fail "no Python 3.11 or newer found among ${PYTHON:-python3, python3.13, python3.12 and python3.11};" \
        "install one (Debian: apt-get install python3 python3-venv) or name it: make PYTHON=/path/to/python"
}

make_venv() {
    local python
    # An environment that is half-made, whose Python is gone, or that was made elsewhere and then
    # copied or moved here (its scripts still name the old place) is made anew.
    .venv/bin/python -c 'import pip' 2>/dev/null &&
        grep -qF " $(pwd -P)/.venv" .venv/pyvenv.cfg && return
    python=$(find_python)
    echo "Creating .venv with $("$python" --version)"
    # Debian splits the part of `venv` that brings pip off into a package of its own.
    "$python" -c 'import ensurepip, venv' 2>/dev/null || install_packages python3-venv ||
        fail "$python cannot create virtual environments; run: sudo apt-get install python3-venv"
    "$python" -m venv --clear .venv ||
        fail "$python -m venv failed; run: sudo apt-get install python3-venv"
}

# What an up-to-date installation is a function of: kept in .venv and compared as a whole.
wanted() {
    pwd -P
    cat pyproject.toml
}

installed() {
    [ -x .venv/bin/python ] && [ "$(cat ".venv/installed-$1" 2>/dev/null)" = "$(wanted)" ]
}

install_project() {
    echo "Installing sjoin${extras:+ with $extras} into .venv (a minute or two the first time)"
    .venv/bin/python -m pip install -qq --disable-pip-version-check --no-input \
        --root-user-action=ignore --editable ".${extras:+[$extras]}"
    wanted | tee .venv/installed-base >".venv/installed-${extras:-base}"
}

# The major version of the Java that Spark would start; 0 when there is none.
java_version() {
    local version
    version=$("${JAVA_HOME:+$JAVA_HOME/bin/}java" -version 2>&1 |
        sed -nE 's/.* version "(1\.)?([0-9]+).*/\2/p') || true
    echo "${version:-0}"
}

have_java() {
    [ "$(java_version)" -ge "$oldest_java" ]
}

ensure_java() {
    have_java && return
    # A JAVA_HOME that names no fit Java hides any that could be installed. Debian's default is
    # the newest it supports, which on old releases is too old.
    if [ -z "${JAVA_HOME:-}" ]; then
        install_packages default-jre-headless && have_java && return
        install_packages "openjdk-$oldest_java-jre-headless" && have_java && return
    fi
    echo "sjoin: no Java $oldest_java or newer found, so what needs Spark cannot run;" \
        "run: sudo apt-get install default-jre-headless (and unset JAVA_HOME if it names an older one)" >&2
}

if ! installed "${extras:-base}"; then
    make_venv
    install_project
fi
case ",$extras," in *,spark,*) ensure_java ;; esac
