#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Debian packages of the patched kernel, by the kernel's own bindeb-pkg, with the
# configuration CONFIG or, without one, that of Debian's kernel for clouds. Its
# release ends in -mmapra-vN, N the version of the series.
set -eu
. "${0%/*}/lib.sh"

case ${CONFIG:-} in
''|/*) ;;
*) die "CONFIG=$CONFIG: not an absolute path" "Give CONFIG=/boot/config-... or the like" ;;
esac
[ -z "${CONFIG:-}" ] || grep -qs '^CONFIG_64BIT=y' "$CONFIG" ||
	die "CONFIG=$CONFIG: this is no configuration of a 64-bit kernel" "Give CONFIG=/boot/config-... or the like"

out=$WORK/deb
obj=$out/obj
mkdir -p "$obj"
config=${CONFIG:-}
if [ -z "$config" ]; then
	"$TOP/lab/fetch.sh" --config
	config=$out/config.debian
	dpkg-deb --fsys-tarfile "$BUILD/cache/$BASE-config.deb" |
		tar -xO --wildcards './usr/src/linux-config-*/config.amd64_none_cloud-amd64.xz' |
		xz -dc >"$config" || :
	[ -s "$config" ] || die "$config_package has no configuration for clouds" \
		"Looked in: $BUILD/cache/$BASE-config.deb" "Give one: CONFIG=/boot/config-..."
fi

# The version of the package: that of Debian's source, or of a tree of one's own
release=$(kmake -s kernelversion)
if [ -n "${KSRC:-}" ]; then
	package_version=$release-1
else
	package_version=$(dpkg-deb -f "$BUILD/cache/$BASE.deb" Version)
fi
package_version=$package_version+mmapra$(version)
localversion=-mmapra-v$(version)

labgit checkout -q series
say "Configuring as $config has it, but for lab/kconfig/deb.config"
(cd "$TREE" && logged "$out/merge.log" \
	scripts/kconfig/merge_config.sh -m -O "$obj" "$config" "$TOP/lab/kconfig/deb.config")
logged "$out/config.log" kmake O="$obj" olddefconfig

say "Building packages with $cc, $JOBS jobs, which takes long with all of Debian's modules; the log is ${out#"$TOP"/}/build.log"
rm -f "$out"/*.deb
export KDEB_PKGVERSION="$package_version" KDEB_CHANGELOG_DIST=unstable
logged "$out/build.log" kmake -j"$JOBS" O="$obj" LOCALVERSION="$localversion" bindeb-pkg
release=$(cat "$obj/include/config/kernel.release")
image=$(echo "$out/linux-image-$release"_*.deb)
[ -f "$image" ] || die "there is no package of the image" "Looked for: $image"

# For make deb-boot: the image, and the modules that the guest needs
rm -rf "$out/root" "$out/modules"
dpkg-deb -x "$image" "$out/root"
cp "$out/root/boot/vmlinuz-$release" "$out/bzImage"
echo "$release" >"$out/release"
if grep -q '^CONFIG_MODULES=y' "$obj/.config"; then
	depmod -b "$out/root" "$release"
	for module in virtio_pci virtio_blk virtio_console ext2 ext4 xfs btrfs squashfs loop configfs null_blk; do
		modprobe -d "$out/root" -S "$release" --show-depends "$module" 2>/dev/null || :
	done | sed -n 's/^insmod \([^ ]*\).*/\1/p' | sort -u | while read -r file; do
		to=$out/modules/${file#"$out/root/"}
		mkdir -p "${to%/*}"
		cp "$file" "$to"
	done
	mkdir -p "$out/modules/lib/modules/$release"
	cp "$out/root/lib/modules/$release"/modules.builtin* "$out/root/lib/modules/$release/modules.order" \
		"$out/modules/lib/modules/$release"
	depmod -b "$out/modules" "$release"
fi
rm -rf "$out/root"

say "Kernel $release, in ${out#"$TOP"/}:"
(cd "$out" && du -h ./*.deb)
say "Install: apt install $out/linux-image-${release}_*.deb. Try it in the guest: make deb-boot"
