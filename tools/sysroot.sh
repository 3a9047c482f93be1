#!/usr/bin/env bash
# Unpacks the libraries of another architecture, with all they need, into a folder: sysroot.sh ARCHITECTURE FOLDER PACKAGE...
# The machine's own packages and lists are not touched, and root is not needed: apt works here on folders of its own, as on
# a machine of that architecture with nothing installed. Debian and Ubuntu only.
set -euo pipefail
architecture=$1 folder=$2
shift 2
stamp=$folder/$(echo "$architecture" "$@" | sha256sum | cut -c1-16)
[ -f "$stamp" ] && exit
echo "set-up: unpacking libraries of $architecture into $folder"
rm -rf "$folder"
apt=$(mktemp -d)
trap 'rm -rf "$apt"' EXIT
mkdir -p "$folder" "$apt"/{lists,archives}/partial
touch "$apt/status"
# The user that apt drops its rights to could not write here.
cat > "$apt/conf" << EOF
APT::Architecture "$architecture";
APT::Architectures { "$architecture"; };
APT::Sandbox::User "$(id -un)";
APT::Install-Recommends "false";
Dir::State "$apt";
Dir::State::status "$apt/status";
Dir::State::lists "$apt/lists";
Dir::Cache "$apt";
Debug::NoLocking "true";
EOF
export APT_CONFIG=$apt/conf
apt-get update -qq
apt-get install -y -qq --download-only "$@" > /dev/null
for package in "$apt"/archives/*.deb; do dpkg-deb -x "$package" "$folder"; done
# Links of the packages that start at the root mean the root of that machine.
find "$folder" -type l -lname '/*' | while read -r link; do ln -sfrn "$folder$(readlink "$link")" "$link"; done
touch "$stamp"
