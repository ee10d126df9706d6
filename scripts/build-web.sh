#!/usr/bin/env bash
# Builds the dashboard, and the card for chat clients, into the folder of the compiled sources that is named.
set -euo pipefail
target="$PWD/$1/faces/web/app"
config=src/faces/web/app/vite.config.ts
npx vite build -c "$config" --outDir "$target"
npx vite build -c "$config" --mode card --outDir "$target"
