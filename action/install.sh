#!/usr/bin/env bash
# Puts dsh-verify into a folder of its own and that folder on the path of the
# steps that follow: a release's binary, compared with its checksum, or, without
# VERSION, a build of the source that this script came with.
set -euo pipefail

bin="$RUNNER_TEMP/dsh-verify-bin"
mkdir -p "$bin"
suffix=""
if [ "${RUNNER_OS:-}" = Windows ]; then suffix=.exe; fi

if [ -z "${VERSION:-}" ]; then
  cd "$GITHUB_ACTION_PATH/.."
  go build -buildvcs=false -o "$bin/dsh-verify$suffix" ./cmd/dsh-verify
else
  case "${RUNNER_OS:-}" in
    Linux) os=linux ;;
    macOS) os=darwin ;;
    Windows) os=windows ;;
    *) echo "install.sh: no release for the system '${RUNNER_OS:-}'" >&2; exit 1 ;;
  esac
  case "${RUNNER_ARCH:-}" in
    X64) arch=amd64 ;;
    ARM64) arch=arm64 ;;
    *) echo "install.sh: no release for the processor '${RUNNER_ARCH:-}'" >&2; exit 1 ;;
  esac
  name="dsh-verify_${VERSION#v}_${os}_${arch}${suffix}"
  from="$GITHUB_SERVER_URL/$REPOSITORY/releases/download/$VERSION"
  cd "$bin"
  curl -fsSL --retry 3 -O "$from/$name" -O "$from/SHA256SUMS"
  # Sums are marked with a * where they were made of binary files.
  grep -E "^[0-9a-f]{64} [ *]$name\$" SHA256SUMS > wanted || { echo "install.sh: SHA256SUMS does not name $name" >&2; exit 1; }
  if command -v sha256sum > /dev/null; then sha256sum -c wanted; else shasum -a 256 -c wanted; fi
  mv "$name" "dsh-verify$suffix"
  chmod +x "dsh-verify$suffix"
fi
echo "$bin" >> "$GITHUB_PATH"
