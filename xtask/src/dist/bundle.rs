//! An MCP bundle (`.mcpb`): the server with a manifest, for applications that install servers from a file.

use std::path::PathBuf;

use anyhow::Result;

use super::Parts;
use super::archive::Files;

pub(super) fn pack(parts: &Parts) -> Result<PathBuf> {
    let program = format!("server/{}", parts.target.program());
    let mut files = Files::default();
    files.add("manifest.json", parts.render_with("mcpb/manifest.json", &program)?.into_bytes());
    files.add_program(program, &parts.program);
    files.add("README.md", parts.readme.as_bytes());
    files.add_all("licenses", &parts.licenses);
    let path = parts.output.join(format!("{}.mcpb", parts.product.archive_stem(parts.target.triple)));
    files.write_zip(&path, parts.effort)?;
    Ok(path)
}
