//! Targets of the published binaries.

use anyhow::{Context, Result};
use serde::Serialize;

/// A target and its names in the package managers. All other names follow from these.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Target {
    /// Name in Rust.
    pub(super) triple: &'static str,
    /// Operating system in Node (`process.platform`).
    pub(super) node_os: &'static str,
    /// Processor in Node (`process.arch`).
    pub(super) node_cpu: &'static str,
    /// Kernel and machine, as `uname -sm` prints them. Empty where there is no such command.
    pub(super) uname: &'static str,
    /// Platform tags of the wheel.
    pub(super) wheel: &'static str,
    /// Architecture of the Debian package, and of container images.
    pub(super) debian: Option<&'static str>,
    /// System in Nix.
    pub(super) nix: Option<&'static str>,
}

/// The published targets. Programs for Linux are linked statically with musl: one of them runs with every C library, and in
/// an empty container.
pub(super) const TARGETS: &[Target] = &[
    Target {
        triple: "x86_64-unknown-linux-musl",
        node_os: "linux",
        node_cpu: "x64",
        uname: "Linux x86_64",
        wheel: "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
        debian: Some("amd64"),
        nix: Some("x86_64-linux"),
    },
    Target {
        triple: "aarch64-unknown-linux-musl",
        node_os: "linux",
        node_cpu: "arm64",
        uname: "Linux aarch64",
        wheel: "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
        debian: Some("arm64"),
        nix: Some("aarch64-linux"),
    },
    Target {
        triple: "x86_64-apple-darwin",
        node_os: "darwin",
        node_cpu: "x64",
        uname: "Darwin x86_64",
        wheel: "macosx_10_12_x86_64",
        debian: None,
        nix: Some("x86_64-darwin"),
    },
    Target {
        triple: "aarch64-apple-darwin",
        node_os: "darwin",
        node_cpu: "arm64",
        uname: "Darwin arm64",
        wheel: "macosx_11_0_arm64",
        debian: None,
        nix: Some("aarch64-darwin"),
    },
    Target {
        triple: "x86_64-pc-windows-msvc",
        node_os: "win32",
        node_cpu: "x64",
        uname: "",
        wheel: "win_amd64",
        debian: None,
        nix: None,
    },
];

impl Target {
    pub(super) fn find(triple: &str) -> Result<Self> {
        let known = || TARGETS.iter().map(|target| target.triple).collect::<Vec<_>>().join(", ");
        let found = TARGETS.iter().find(|target| target.triple == triple);
        found.copied().with_context(|| format!("{triple} is not published; the targets are {}", known()))
    }

    /// Returns the target whose programs run on this machine.
    pub(super) fn of_this_machine() -> Result<Self> {
        let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
        let os = if os == "macos" { "darwin" } else { os };
        let runs_here = |target: &&Target| target.triple.starts_with(arch) && target.triple.contains(os);
        TARGETS
            .iter()
            .find(runs_here)
            .copied()
            .with_context(|| format!("nothing is published for {os} on {arch}"))
    }

    pub(super) fn is_windows(&self) -> bool {
        self.node_os == "win32"
    }

    /// Returns the file name of the program.
    pub(super) fn program(&self) -> &'static str {
        if self.is_windows() { "sscg.exe" } else { "sscg" }
    }

    /// Returns the ending of the archive's name.
    pub(super) fn archive_ending(&self) -> &'static str {
        if self.is_windows() { ".zip" } else { ".tar.gz" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_has_the_same_system_and_processor_under_all_names() {
        for target in TARGETS {
            let (arch, rest) = target.triple.split_once('-').expect("a triple has parts");
            let is_arm = arch == "aarch64";
            assert_eq!(target.node_cpu == "arm64", is_arm, "{target:?}");
            assert_eq!(
                target.wheel.contains("_aarch64") || target.wheel.contains("_arm64"),
                is_arm,
                "{target:?}"
            );
            for name in [target.debian, target.nix].into_iter().flatten() {
                assert_eq!(name.contains("arm64") || name.contains("aarch64"), is_arm, "{target:?}");
            }
            let os = if target.is_windows() { "windows" } else { target.node_os };
            assert!(rest.contains(os), "{target:?}");
            assert_eq!(target.debian.is_some(), os == "linux", "{target:?}");
        }
    }
}
