//! Archives: files in memory, written as `.tar.gz`, as `.zip` or as a directory.
//!
//! The same files give the same bytes: order, owners, modes and times do not depend on the machine.

use std::fs;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::rc::Rc;

use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::GzEncoder;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Time of all files, in seconds since 1970: the earliest that a zip can hold, 1980-01-01.
pub(super) const TIME: u64 = 315_532_800;

/// Effort of compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effort {
    /// Smallest files, for publication.
    Best,
    /// No compression, for tests of packing and installing.
    None,
}

impl Effort {
    /// Level of deflate.
    pub(super) fn level(self) -> u32 {
        match self {
            Effort::Best => 9,
            Effort::None => 0,
        }
    }
}

/// A file of an archive.
struct File {
    path: String,
    content: Rc<[u8]>,
    is_program: bool,
}

impl File {
    fn mode(&self) -> u32 {
        if self.is_program { 0o755 } else { 0o644 }
    }
}

/// Files of an archive, in their order. Clones share the contents.
#[derive(Default)]
pub(super) struct Files(Vec<File>);

impl Files {
    pub(super) fn add(&mut self, path: impl Into<String>, content: impl Into<Rc<[u8]>>) {
        self.0.push(File { path: path.into(), content: content.into(), is_program: false });
    }

    pub(super) fn add_program(&mut self, path: impl Into<String>, content: &Rc<[u8]>) {
        self.0.push(File { path: path.into(), content: content.clone(), is_program: true });
    }

    /// Adds the files of another archive below a directory.
    pub(super) fn add_all(&mut self, directory: &str, files: &Files) {
        let moved = files.0.iter().map(|file| File {
            path: format!("{directory}/{}", file.path),
            content: file.content.clone(),
            is_program: file.is_program,
        });
        self.0.extend(moved);
    }

    /// Paths and contents.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.iter().map(|file| (file.path.as_str(), &*file.content))
    }

    /// Size of the contents, in bytes.
    pub(super) fn size(&self) -> usize {
        self.0.iter().map(|file| file.content.len()).sum()
    }

    pub(super) fn write_tar_gz(&self, path: &Path, effort: Effort) -> Result<()> {
        let encoder = GzEncoder::new(create(path)?, Compression::new(effort.level()));
        let mut archive = tar::Builder::new(encoder);
        for file in &self.0 {
            let mut header = tar::Header::new_gnu();
            header.set_size(file.content.len() as u64);
            header.set_mode(file.mode());
            header.set_mtime(TIME);
            archive.append_data(&mut header, &file.path, &*file.content)?;
        }
        archive.into_inner()?.finish()?.flush().with_context(|| format!("cannot write {}", path.display()))
    }

    pub(super) fn write_zip(&self, path: &Path, effort: Effort) -> Result<()> {
        let method =
            if effort == Effort::None { CompressionMethod::Stored } else { CompressionMethod::Deflated };
        let level = (effort != Effort::None).then(|| effort.level().into());
        let options = SimpleFileOptions::default().compression_method(method).compression_level(level);
        let mut archive = ZipWriter::new(create(path)?);
        for file in &self.0 {
            archive.start_file(&file.path, options.unix_permissions(file.mode()))?;
            archive.write_all(&file.content)?;
        }
        archive.finish()?.flush().with_context(|| format!("cannot write {}", path.display()))
    }

    pub(super) fn write_directory(&self, directory: &Path) -> Result<()> {
        for file in &self.0 {
            let path = directory.join(&file.path);
            fs::create_dir_all(path.parent().expect("a file stands in a directory"))?;
            // The mask of the user must not decide who may read a package.
            for parent in path.ancestors().skip(1).take_while(|parent| parent.starts_with(directory)) {
                set_mode(parent, 0o755)?;
            }
            fs::write(&path, &file.content).with_context(|| format!("cannot write {}", path.display()))?;
            set_mode(&path, file.mode())?;
        }
        Ok(())
    }
}

fn create(path: &Path) -> Result<BufWriter<fs::File>> {
    Ok(BufWriter::new(fs::File::create(path).with_context(|| format!("cannot create {}", path.display()))?))
}

/// Compresses a text as manual pages and changelogs of Debian packages are.
pub(super) fn gzip(content: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content)?;
    Ok(encoder.finish()?)
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::set_permissions(path, fs::Permissions::from_mode(mode))?)
}

#[cfg(not(unix))]
fn set_mode(_: &Path, _: u32) -> Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn files() -> Files {
        let mut files = Files::default();
        files.add("a/README.md", *b"text");
        files.add_program("a/sscg", &Rc::from(*b"code"));
        files
    }

    #[test]
    fn archives_keep_contents_and_modes_and_are_reproducible() -> Result<()> {
        let directory = tempfile::tempdir()?;
        for effort in [Effort::Best, Effort::None] {
            let (tar, zip) = (directory.path().join("a.tar.gz"), directory.path().join("a.zip"));
            files().write_tar_gz(&tar, effort)?;
            files().write_zip(&zip, effort)?;
            let first = (fs::read(&tar)?, fs::read(&zip)?);
            files().write_tar_gz(&tar, effort)?;
            files().write_zip(&zip, effort)?;
            assert!(first == (fs::read(&tar)?, fs::read(&zip)?));

            let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(fs::File::open(&tar)?));
            let mut found = Vec::new();
            for entry in archive.entries()? {
                let mut entry = entry?;
                let mut content = String::new();
                entry.read_to_string(&mut content)?;
                found.push((entry.path()?.display().to_string(), content, entry.header().mode()?));
            }
            let expected = [("a/README.md", "text", 0o644), ("a/sscg", "code", 0o755)];
            let expected = expected.map(|(path, content, mode)| (path.to_owned(), content.to_owned(), mode));
            assert_eq!(found, expected);

            let mut archive = zip::ZipArchive::new(fs::File::open(&zip)?)?;
            for (index, (path, content, mode)) in expected.iter().enumerate() {
                let mut entry = archive.by_index(index)?;
                let mut text = String::new();
                entry.read_to_string(&mut text)?;
                assert_eq!((&*entry.name()?, &text), (path.as_str(), content));
                assert_eq!(entry.unix_mode().map(|mode| mode & 0o777), Some(*mode));
            }
        }
        Ok(())
    }
}
