# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2034,SC2154
# Sourced by the scripts that fetch packages. It is the machine's own apt that
# fetches, resumes and checks, but with suites, lists and cache of our own in
# $apt, so that the machine stays as it is.

keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# targets FORMAT: what this machine's apt knows of Debian's archives
targets()
{
	# shellcheck disable=SC2016 # it is for apt to expand
	apt-get indextargets --format '$(ORIGIN) $(LABEL) '"$1" 'Created-By: Packages' |
		sed -n 's/^Debian //p'
}

# private COMMAND...: of apt
private()
{
	command=$1
	shift
	"$command" -o Dir::Etc::SourceList="$apt/sources.list" \
		-o Dir::Etc::SourceParts=/dev/null \
		-o Dir::Etc::Preferences=/dev/null \
		-o Dir::Etc::PreferencesParts=/dev/null \
		-o Dir::State="$apt" -o Dir::State::Status="${status:-/var/lib/dpkg/status}" \
		-o Dir::Cache="$apt" -o Acquire::Languages=none \
		-o Debug::NoLocking=true -o APT::Architecture=amd64 \
		-o APT::Sandbox::User=root "$@"
}
