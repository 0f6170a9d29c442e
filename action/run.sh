#!/usr/bin/env bash
# Runs dsh-verify as the inputs say, adds its findings to the job's summary, and
# ends with its exit code.
set -euo pipefail

args=()
# Inputs with several values hold one a line.
lines() {
  while IFS= read -r line; do
    if [ -n "$line" ]; then args+=("$line"); fi
  done <<< "$1"
}

read -r -a args <<< "${COMMAND:?}"
args+=(--quiet)
if [ -n "${JUNIT:-}" ]; then args+=(--output "junit=$JUNIT"); fi
if [ -n "${SARIF:-}" ]; then args+=(--output "sarif=$SARIF"); fi
summary=""
if [ "${SUMMARY:-true}" = true ]; then
  summary="$RUNNER_TEMP/dsh-verify-summary.md"
  rm -f "$summary"
  args+=(--output "markdown=$summary")
fi
lines "${ARGS:-}"
args+=(--)
lines "${PATHS:-.}"

code=0
dsh-verify "${args[@]}" || code=$?
if [ -n "$summary" ] && [ -f "$summary" ]; then cat "$summary" >> "$GITHUB_STEP_SUMMARY"; fi
echo "exit-code=$code" >> "$GITHUB_OUTPUT"
exit "$code"
