# SPDX-License-Identifier: GPL-2.0-only
# The one front door. Each target is a script of lab/; settings are handed to
# them in the environment.

export BASE KSRC JOBS ACCEL CLOCK DEBUG SIGNOFF BASE_COMMIT CASES CONFIG
JOB ?= cases

.PHONY: help
help:
	@echo 'Targets:'
	@echo '  run        fetch, build and boot the base and the patched kernel, print one table'
	@echo '  test       everything that can be checked; ends with N passed, N failed, N skipped'
	@echo '  test-all   test for each base of the table; ends with a matrix of the results'
	@echo '  each       build, boot and test each patch by itself, on those before it'
	@echo '  lint       what can be checked in half a minute, without a kernel'
	@echo '  check-base which release the archive has, and which patches apply to it'
	@echo '  bench      as run, all cases of bench/cases (some: CASES="T11 T13"), or JOB=programs, JOB=churn'
	@echo '  report     what make bench found into results/, its pictures, README.md and the cover letter'
	@echo '  build      fetch and build only'
	@echo '  shell      a shell in the patched kernel (in the base: KERNEL=base)'
	@echo '  edit       the git tree to change a patch in; commit there, then:'
	@echo '  refresh    write the branch "series" of that tree back into patches/'
	@echo '  reset      make that branch anew from patches/, whatever it holds'
	@echo '  mbox       the series as mails, with its cover letter: build/series.mbx'
	@echo '  deb        Debian packages of the patched kernel: build/BASE/deb'
	@echo '  deb-boot   boot the kernel of make deb in the guest, and run the kselftests there'
	@echo '  clean      remove build/ (of one base: BASE=...)'
	@echo
	@echo 'Settings:'
	@echo '  BASE=7.3           a base kernel of the table in the file bases'
	@echo '  KSRC=/path         a kernel tree of your own in place of the Debian package'
	@echo '  JOBS=2             parallel jobs of a build; default: one a processor'
	@echo '  ACCEL=kvm|tcg      the accelerator of QEMU; default: kvm where it works'
	@echo '  CLOCK=sim          a guest whose clock counts instructions'
	@echo '  DEBUG=1            kernels that check themselves (lab/kconfig/debug.config)'
	@echo '  SIGNOFF=1          mbox: sign off as the git user who runs it'
	@echo '  CASES="T11 T13"    run, bench: these groups of bench/cases'
	@echo '  CONFIG=/boot/config-...  deb: the configuration; default: that of Debian for clouds'
	@echo '  FROM=3             each: from that patch on'
	@echo '  BASE_COMMIT=hash   mbox: the upstream commit that the base stands for'

.PHONY: tools build run bench report
tools:
	@lab/tools.sh

build: tools
	@lab/assemble.sh
	@lab/build.sh base
	@lab/build.sh patched

# Exported is set, to nothing: ?= would leave it so
run: CASES := $(or $(CASES),walk)
run: build
	@lab/initrd.sh
	@lab/run.sh

bench: build
	@lab/tools.sh $(JOB)
	@lab/initrd.sh
	@lab/run.sh $(JOB)

report:
	@lab/tools.sh report
	@lab/report.sh

.PHONY: shell edit refresh reset mbox
shell: build
	@lab/initrd.sh
	@lab/shell.sh $(KERNEL)

edit: tools
	@lab/assemble.sh
	@lab/edit.sh

refresh:
	@lab/refresh.sh

reset: tools
	@lab/assemble.sh --reset

mbox: tools
	@lab/assemble.sh
	@lab/mbox.sh

.PHONY: deb deb-boot
deb: tools
	@lab/tools.sh deb
	@lab/assemble.sh
	@lab/deb.sh

deb-boot:
	@lab/tools.sh deb
	@lab/test.sh selftests initrd 'test-guest deb'

.PHONY: test test-all each check-base lint clean
test:
	@lab/tools.sh test
	@lab/test.sh

test-all:
	@lab/tools.sh test
	@lab/test-all.sh

each: build
	@lab/selftests.sh
	@lab/initrd.sh
	@lab/each.sh $(FROM)

check-base:
	@lab/check-base.sh

lint:
	@lab/tools.sh test
	@lab/lint.sh

clean:
	@lab/clean.sh
