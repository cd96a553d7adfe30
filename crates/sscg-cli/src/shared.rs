//! Indexes that many machines share: `sscg index` writes to them, all other commands answer from them.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use sscg::index::repository_directory;
use sscg::lance::{LanceOptions, LanceStore};
use sscg::{Error, Published, Storage};

use crate::failure::Failure;

/// Location of a shared index.
#[derive(Debug, Args)]
#[command(next_help_heading = "Shared index")]
pub(crate) struct Shared {
    /// Write the index to this store (`sscg index`), or answer from it without the source tree.
    ///
    /// `lance:DIR` or `s3://BUCKET/PREFIX`.
    #[arg(long, global = true, value_name = "ADDRESS", env = "SSCG_STORE")]
    store: Option<String>,
    /// Name of the project in the store; by default that of the repository's directory.
    #[arg(long, global = true, value_name = "NAME", requires = "store")]
    project: Option<String>,
    /// Name of the work tree or branch in the project.
    #[arg(long, global = true, value_name = "NAME", default_value = "main")]
    tree: String,
    /// Option for the object store, such as aws_endpoint=http://127.0.0.1:9000; may be given more than once.
    ///
    /// The AWS_* environment variables apply, too.
    #[arg(long, global = true, value_name = "KEY=VALUE", value_parser = option)]
    store_option: Vec<(String, String)>,
}

fn option(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("write KEY=VALUE")?;
    Ok((key.to_lowercase(), value.to_owned()))
}

impl Shared {
    /// Returns the storage for the index of the directory `path`, if it is not on this machine.
    pub(crate) fn storage(&self, path: &Path) -> Result<Option<Storage>, Failure> {
        let store = self.open(&self.name(path))?;
        Ok(store.map(|store| Storage::Store { store, tree: self.tree.clone() }))
    }

    /// Returns the published index of a project to answer from, if a store is given.
    pub(crate) fn published(&self, project: &str) -> Result<Option<Published>, Failure> {
        let store = self.open(project)?;
        Ok(store.map(|store| Published::new(store, &*self.tree)))
    }

    /// Returns the names of the projects that a server offers, if a store is given: each item of `given` is a name, or a path
    /// whose directory is named like its project. Without any, the project of the current directory.
    pub(crate) fn projects(&self, given: &[PathBuf]) -> Result<Option<Vec<String>>, Failure> {
        if self.store.is_none() {
            return Ok(None);
        }
        let name = |given: &PathBuf| match given.components().collect::<Vec<_>>()[..] {
            [Component::Normal(name)] => name.to_string_lossy().into_owned(),
            _ => self.name(given),
        };
        let mut names = match given {
            [] => vec![self.name(Path::new("."))],
            [_] if self.project.is_some() => vec![self.name(&given[0])],
            _ if self.project.is_some() => {
                let hint = "give the names of all projects in place of --project";
                return Err(Error::request("--project names one project, and there are several", hint).into());
            }
            given => given.iter().map(name).collect(),
        };
        names.sort();
        names.dedup();
        Ok(Some(names))
    }

    /// Returns the name of the project of a directory in the store.
    pub(crate) fn name(&self, path: &Path) -> String {
        self.project.clone().unwrap_or_else(|| project_name(path))
    }

    fn open(&self, project: &str) -> Result<Option<Arc<LanceStore>>, Failure> {
        let Some(address) = &self.store else { return Ok(None) };
        let options = LanceOptions::default().with_storage(self.store_option.clone());
        Ok(Some(Arc::new(LanceStore::open(address, project, options).map_err(Error::from)?)))
    }
}

/// Returns the name of the repository's directory, or of the directory itself, with characters that names cannot have
/// replaced.
fn project_name(path: &Path) -> String {
    let directory = path.canonicalize().ok();
    let repository = directory.as_deref().and_then(repository_directory);
    let repository = repository.and_then(|git| Some(git.parent()?.to_owned()));
    let named = repository.or(directory).unwrap_or_else(|| path.to_owned());
    let name = named.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '-' };
    name.chars().map(plain).collect::<String>().trim_start_matches(['.', '-', '_']).to_owned()
}
