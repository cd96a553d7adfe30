//! A Debian package: the program, manual pages, completions, copyright and changelog.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;
use md5::{Digest, Md5};

use super::archive::{Effort, Files, gzip};
use super::{Parts, notices};
use crate::workspace::output;

/// Writes the package; none for a target without Debian.
pub(super) fn pack(parts: &Parts) -> Result<Option<PathBuf>> {
    let Some(architecture) = parts.target.debian else { return Ok(None) };
    let package = &parts.product.package;
    let mut files = Files::default();
    files.add_program("usr/bin/sscg", &parts.program);
    for (page, content) in parts.manual.iter() {
        files.add(format!("usr/share/man/man1/{page}.gz"), gzip(content)?);
    }
    for (script, content) in parts.completions.iter() {
        let path = match script {
            "sscg.bash" => "usr/share/bash-completion/completions/sscg",
            "_sscg" => "usr/share/zsh/vendor-completions/_sscg",
            "sscg.fish" => "usr/share/fish/vendor_completions.d/sscg.fish",
            _ => continue,
        };
        files.add(path, content);
    }
    let documents = format!("usr/share/doc/{package}");
    files.add(format!("{documents}/copyright"), parts.render("debian/copyright")?.into_bytes());
    for (license, content) in parts.licenses.iter().filter(|(name, _)| *name == notices::FILE) {
        files.add(format!("{documents}/{license}.gz"), gzip(content)?);
    }
    // Debian's own form, with the time of all files; a name of its own for ours.
    files.add(format!("{documents}/changelog.gz"), gzip(parts.render("debian/changelog")?.as_bytes())?);
    files.add(format!("{documents}/CHANGELOG.md.gz"), gzip(parts.changelog.as_bytes())?);
    let overrides = parts.render("debian/overrides")?;
    files.add(format!("usr/share/lintian/overrides/{package}"), overrides.into_bytes());
    let control = parts.render_with("debian/control", &files.size().div_ceil(1024))?;
    let checksums = checksums(&files);
    files.add("DEBIAN/control", control.into_bytes());
    files.add("DEBIAN/md5sums", checksums.into_bytes());

    let directory = tempfile::tempdir()?;
    files.write_directory(directory.path())?;
    // With the version as in tags, because servers of releases replace the `~` of Debian's in names of files.
    let path = parts.output.join(format!("{package}_{}_{architecture}.deb", parts.product.version));
    let mut build = Command::new("dpkg-deb");
    build.args(["--root-owner-group", if parts.effort == Effort::None { "-Znone" } else { "-Zxz" }]);
    // Times of the files in it, in seconds since 1970.
    build.env("SOURCE_DATE_EPOCH", super::archive::TIME.to_string());
    output(build.arg("--build").arg(directory.path()).arg(&path))?;
    Ok(Some(path))
}

/// Returns the file `md5sums`, by which `dpkg --verify` finds changed files.
fn checksums(files: &Files) -> String {
    files
        .iter()
        .map(|(path, content)| {
            let digits: String = Md5::digest(content).iter().map(|byte| format!("{byte:02x}")).collect();
            format!("{digits}  {path}\n")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_has_a_checksum_as_md5sum_prints_it() {
        let mut files = Files::default();
        files.add("usr/bin/a", *b"");
        files.add("usr/bin/b", *b"abc");
        let expected =
            "d41d8cd98f00b204e9800998ecf8427e  usr/bin/a\n900150983cd24fb0d6963f7d28e17f72  usr/bin/b\n";
        assert_eq!(checksums(&files), expected);
    }
}
