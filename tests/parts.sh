#!/usr/bin/env bash
# Installs the real parts that tests need and the machine lacks, or says plainly what will be skipped.
set -u
need() { # command, Debian package
  command -v "$1" >/dev/null 2>&1 && return
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "installing $2 (for tests in a real browser)"
    apt-get update -qq >/dev/null 2>&1
    apt-get install -y -qq --no-install-recommends "$2" fonts-dejavu-core fonts-noto-core >/dev/null 2>&1
  fi
  command -v "$1" >/dev/null 2>&1 && return
  echo "$1 is not here and cannot be installed: tests that need it are skipped" >&2
  [ -z "${CI:-}" ] # in CI nothing is skipped
}
need chromium chromium
