#!/bin/sh
# Locks every environment with hashes; run by `make lock`.
set -eu
compile() { ../.tools/bin/uv pip compile --quiet --universal --python-version 3.12 --generate-hashes --no-header --no-annotate "$@"; }
compile bootstrap.in -o bootstrap.txt
compile ../pyproject.toml --extra local --extra anthropic --extra google --group ../pyproject.toml:build --group ../pyproject.toml:check --group ../pyproject.toml:test -o develop.txt
compile ../pyproject.toml --extra local --group ../pyproject.toml:build --constraint develop.txt -o run.txt
