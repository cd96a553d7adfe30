//! A Python wheel with the program as a script and a module that starts it, in the binary distribution format (PEP 427). Tools that build wheels compile
//! the program themselves; this one is already there.

use std::path::PathBuf;

use anyhow::Result;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use super::Parts;
use super::archive::Files;

pub(super) fn pack(parts: &Parts) -> Result<PathBuf> {
    let name = parts.product.package.replace('-', "_");
    let stem = format!("{name}-{}", parts.product.python_version);
    let info = format!("{stem}.dist-info");
    let mut files = Files::default();
    files.add_program(format!("{stem}.data/scripts/{}", parts.target.program()), &parts.program);
    files.add(format!("{name}/__init__.py"), Vec::new());
    files.add(format!("{name}/__main__.py"), parts.templates.read("python/launcher.py")?.into_bytes());
    files.add_all(&format!("{info}/licenses"), &parts.licenses);
    let command = format!("[console_scripts]\n{} = {name}.__main__:main\n", parts.product.package);
    files.add(format!("{info}/entry_points.txt"), command.into_bytes());
    files.add(format!("{info}/METADATA"), parts.render_with("python/METADATA", &parts.readme)?.into_bytes());
    files.add(format!("{info}/WHEEL"), wheel(parts.target.wheel).into_bytes());
    files.add(format!("{info}/RECORD"), record(&files, &info).into_bytes());
    let path = parts.output.join(format!("{stem}-py3-none-{}.whl", parts.target.wheel));
    files.write_zip(&path, parts.effort)?;
    Ok(path)
}

/// Returns the file `WHEEL`, with a line for each platform of a compressed tag.
fn wheel(platforms: &str) -> String {
    let tags: String = platforms.split('.').map(|platform| format!("Tag: py3-none-{platform}\n")).collect();
    format!("Wheel-Version: 1.0\nGenerator: sscg-xtask\nRoot-Is-Purelib: false\n{tags}")
}

/// Returns the file `RECORD`: path, checksum and size of each file, without those of itself.
fn record(files: &Files, info: &str) -> String {
    let lines: String = files
        .iter()
        .map(|(path, content)| {
            let checksum = URL_SAFE_NO_PAD.encode(Sha256::digest(content));
            format!("{path},sha256={checksum},{}\n", content.len())
        })
        .collect();
    format!("{lines}{info}/RECORD,,\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_record_lists_every_file() {
        let mut files = Files::default();
        files.add("a", *b"");
        let empty = "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU";
        assert_eq!(record(&files, "x.dist-info"), format!("a,sha256={empty},0\nx.dist-info/RECORD,,\n"));
    }

    #[test]
    fn a_compressed_tag_becomes_a_line_for_each_platform() {
        assert!(wheel("a_1.b_2").ends_with("Tag: py3-none-a_1\nTag: py3-none-b_2\n"));
    }
}
