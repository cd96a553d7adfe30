#!/bin/sh
# Installs sscg {{ product.version }} for the current user. Downloads one archive, compares its checksum with the one below, and
# copies the program, without administrator rights.
#
#   SSCG_INSTALL_DIR    directory of the program (default: ~/.local/bin)
#   SSCG_DOWNLOAD_URL   directory of the archives, for mirrors
set -eu

fail() {
  echo "error: $1" >&2
  exit 1
}

main() {
  url="${SSCG_DOWNLOAD_URL:-{{ product.downloads }}}"
  directory="${SSCG_INSTALL_DIR:-$HOME/.local/bin}"

  case "$(uname -sm)" in
{% for target in targets if target.uname %}
    "{{ target.uname }}"{{ ' | "Linux arm64"' if target.uname == "Linux aarch64" else "" }})
      stem={{ target.stem }}
      checksum={{ target.sha256 }}
      ;;
{% endfor %}
    *) fail "there is no program for $(uname -sm); build it: cargo install {{ product.package }}" ;;
  esac

  temporary="$(mktemp -d)"
  trap 'rm -rf "$temporary" "$directory/.sscg.new"' EXIT
  trap 'exit 1' HUP INT TERM
  archive="$temporary/$stem.tar.gz"
  absent="cannot download $url/$stem.tar.gz; nothing was installed"
  if command -v curl >/dev/null 2>&1; then
    curl --fail --silent --show-error --location --output "$archive" "$url/$stem.tar.gz" || fail "$absent"
  elif command -v wget >/dev/null 2>&1; then
    wget -q -O "$archive" "$url/$stem.tar.gz" || fail "$absent"
  else
    fail "neither curl nor wget is installed"
  fi

  if command -v sha256sum >/dev/null 2>&1; then
    sum="$(sha256sum "$archive")"
  elif command -v shasum >/dev/null 2>&1; then
    sum="$(shasum -a 256 "$archive")"
  else
    fail "neither sha256sum nor shasum is installed"
  fi
  [ "${sum%% *}" = "$checksum" ] || fail "$url/$stem.tar.gz has another checksum than expected; nothing was installed"

  tar -xzf "$archive" -C "$temporary"
  mkdir -p "$directory"
  # Renaming replaces a program that is running.
  cp "$temporary/$stem/sscg" "$directory/.sscg.new"
  chmod 755 "$directory/.sscg.new"
  mv -f "$directory/.sscg.new" "$directory/sscg"

  version="$("$directory/sscg" --version)" || fail "$directory/sscg does not run on this machine"
  echo "installed $version in $directory"
  case ":$PATH:" in
    *":$directory:"*) ;;
    *) echo "hint: add it to your PATH: export PATH=\"$directory:\$PATH\"" ;;
  esac
}

# At the end, so that a download that stops early runs nothing.
main
