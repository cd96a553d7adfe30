//! Spellings of a version in package managers.

use anyhow::{Result, bail};
use cargo_metadata::semver::Version;

/// Returns the version as Python spells it (PEP 440): `1.2.0-rc.1` is `1.2.0rc1`.
///
/// # Errors
///
/// If the version is no release, and not `alpha.N`, `beta.N` or `rc.N` before one: other words have no spelling there. Build
/// metadata is an error, because registries do not tell versions by it.
pub(super) fn python(version: &Version) -> Result<String> {
    let Version { major, minor, patch, pre, build } = version;
    let release = format!("{major}.{minor}.{patch}");
    if !build.is_empty() {
        bail!("the version {version} has build metadata: no registry accepts it beside {release}");
    }
    if pre.is_empty() {
        return Ok(release);
    }
    let letters = match pre.split_once('.') {
        Some((_, number)) if number.parse::<u32>().is_err() => None,
        Some(("alpha", number)) => Some(("a", number)),
        Some(("beta", number)) => Some(("b", number)),
        Some(("rc", number)) => Some(("rc", number)),
        _ => None,
    };
    let Some((letters, number)) = letters else {
        bail!("the version {version} has no spelling in Python: name it {release}-alpha.N, -beta.N or -rc.N");
    };
    Ok(format!("{release}{letters}{number}"))
}

/// Returns the version as Debian spells it, where `~` sorts before the end: `1.2.0-rc.1` is `1.2.0~rc.1`.
pub(super) fn debian(version: &Version) -> String {
    version.to_string().replacen('-', "~", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        text.parse().expect("it is a version")
    }

    #[test]
    fn each_package_manager_has_its_spelling_of_a_version() {
        for (version_, in_python, in_debian) in [
            ("1.2.0", "1.2.0", "1.2.0"),
            ("1.2.0-rc.1", "1.2.0rc1", "1.2.0~rc.1"),
            ("1.2.0-beta.12", "1.2.0b12", "1.2.0~beta.12"),
            ("0.1.0-alpha.0", "0.1.0a0", "0.1.0~alpha.0"),
        ] {
            let version = version(version_);
            assert_eq!(python(&version).expect("it has a spelling"), in_python);
            assert_eq!(debian(&version), in_debian);
        }
    }

    #[test]
    fn a_version_that_a_registry_cannot_spell_is_an_error() {
        for text in ["1.2.0-preview.1", "1.2.0-rc1", "1.2.0-rc.1.2", "1.2.0-rc.x", "1.2.0+build"] {
            assert!(python(&version(text)).is_err(), "{text}");
        }
    }
}
