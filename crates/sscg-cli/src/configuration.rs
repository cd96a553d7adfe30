//! User settings in files, in the environment, and in flags.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use sscg::config::user_file;
use sscg::{Config, Error, Layers};

use crate::failure::Failure;
use crate::{Global, note};

/// Environment variable with the path of the user's file; if it is empty, no file is read.
const FILE_VARIABLE: &str = "SSCG_CONFIG";

/// Key with the value of a flag, if the flag is given.
pub(crate) type Flag = (&'static str, Option<String>);

impl Global {
    /// Returns the configuration for the directory `root`, given the flags of a command.
    pub(crate) fn configure(&self, root: &Path, flags: &[Flag]) -> Result<Config, Failure> {
        Ok(self.layers(root, flags)?.config())
    }

    /// Returns the configuration with the origin of each value. Prints a warning for each setting without effect.
    pub(crate) fn layers(&self, root: &Path, flags: &[Flag]) -> Result<Layers, Failure> {
        let layers = self.read_layers(root, flags)?;
        layers.warnings().iter().for_each(|warning| note(&format!("warning: {warning}")));
        Ok(layers)
    }

    /// Returns the configuration with the origin of each value, without warnings.
    pub(crate) fn read_layers(&self, root: &Path, flags: &[Flag]) -> Result<Layers, Error> {
        let file = users_file();
        if let (Some(path), Some(_)) = (&file, named_file())
            && !path.exists()
        {
            let message = format!("there is no {}, which {FILE_VARIABLE} names", path.display());
            return Err(Error::project(message, "`sscg config init --user` makes it"));
        }
        let mut layers = Layers::read(root, file.as_deref(), |name| std::env::var_os(name))?;
        for (key, value) in self.flags().iter().chain(flags) {
            if let Some(value) = value {
                layers.set(key, value)?;
            }
        }
        Ok(layers)
    }

    fn flags(&self) -> [Flag; 4] {
        [
            ("index.directory", self.index_dir.clone()),
            ("index.ephemeral", self.ephemeral.then(|| true.to_string())),
            ("index.max_memory", self.max_memory.map(|megabytes| megabytes.to_string())),
            ("index.wait", self.no_wait.then(|| false.to_string())),
        ]
    }
}

/// Returns the path of the user's own file, whether or not it exists.
pub(crate) fn users_file() -> Option<PathBuf> {
    named_file().map_or_else(user_file, |path| Some(path).filter(|path| !path.is_empty()).map(PathBuf::from))
}

fn named_file() -> Option<OsString> {
    std::env::var_os(FILE_VARIABLE)
}
