//! Location of a project's state on disk.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

use crate::discovery::describe;
use crate::{EmbeddedStore, IndexError};

/// Number of hash characters in the name of a repository's store.
const HASH_CHARACTERS: usize = 16;

/// Returns the store directory of the repository around `root`: `<base>/<key>`. `base` defaults to the user's cache
/// directory. The key identifies the repository, or `root` itself outside of any repository.
///
/// # Errors
/// [`IndexError::NoCacheDirectory`] if no base is given and the user has no cache directory.
pub fn index_directory(root: &Path, base: Option<&Path>) -> Result<PathBuf, IndexError> {
    let base = base_directory(base)?;
    let owner = repository_directory(root).unwrap_or_else(|| root.to_owned());
    // The readable part must also be the same in all work trees.
    let named = if owner.ends_with(".git") { owner.parent() } else { Some(owner.as_path()) };
    let name = named.and_then(Path::file_name);
    let name = name.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let hash = blake3::hash(owner.as_os_str().as_encoded_bytes()).to_hex();
    let readable: String =
        name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')).take(40).collect();
    Ok(base.join(format!("{readable}-{}", &hash[..HASH_CHARACTERS])))
}

/// Returns the stores of all repositories under `base` (default: the user's cache directory), sorted by name. Empty if
/// the directory does not exist.
///
/// # Errors
/// [`IndexError::NoCacheDirectory`] if no base is given and the user has no cache directory, [`IndexError::Store`] if
/// the directory cannot be read.
pub fn stores(base: Option<&Path>) -> Result<Vec<EmbeddedStore>, IndexError> {
    let base = base_directory(base)?;
    let entries = match fs::read_dir(&base) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            let place = base.display().to_string();
            return Err(IndexError::Store { operation: "read", place, message: describe(&error) });
        }
    };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut paths: Vec<PathBuf> = paths.filter(|path| is_store(path)).collect();
    paths.sort();
    Ok(paths.into_iter().map(EmbeddedStore::new).collect())
}

/// True if the directory has a name as given by [`index_directory`].
fn is_store(path: &Path) -> bool {
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let is_hash =
        |hash: &str| hash.len() == HASH_CHARACTERS && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    name.rsplit_once('-').is_some_and(|(_, hash)| is_hash(hash)) && path.is_dir()
}

/// Returns the directory of all stores: `base`, or else one in the user's cache directory.
///
/// # Errors
/// [`IndexError::NoCacheDirectory`] if no base is given and the user has no cache directory.
pub fn base_directory(base: Option<&Path>) -> Result<PathBuf, IndexError> {
    if let Some(base) = base {
        return Ok(base.to_owned());
    }
    let strategy = etcetera::choose_base_strategy().map_err(|_| IndexError::NoCacheDirectory)?;
    Ok(strategy.cache_dir().join("sscg"))
}

/// Returns the repository's common git directory, shared by all its work trees; `None` outside of a repository.
pub fn repository_directory(root: &Path) -> Option<PathBuf> {
    let dot_git = root.ancestors().map(|dir| dir.join(".git")).find(|path| path.exists())?;
    if dot_git.is_dir() {
        return dot_git.canonicalize().ok();
    }
    // A work tree's `.git` is a file that names its own git directory, which in turn names the common one.
    let text = fs::read_to_string(&dot_git).ok()?;
    let named = Path::new(text.strip_prefix("gitdir:")?.trim());
    let own = dot_git.parent()?.join(named).canonicalize().ok()?;
    match fs::read_to_string(own.join("commondir")) {
        Ok(common) => own.join(common.trim()).canonicalize().ok(),
        Err(_) => Some(own),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_work_tree_shares_the_directory_of_its_repository() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let repo = dir.path().join("repo");
        let own = repo.join(".git/worktrees/feature");
        fs::create_dir_all(&own).expect("writable");
        fs::write(own.join("commondir"), "../..\n").expect("writable");
        let tree = dir.path().join("feature");
        fs::create_dir_all(tree.join("src")).expect("writable");
        fs::write(tree.join(".git"), format!("gitdir: {}\n", own.display())).expect("writable");

        let base = Some(Path::new("base"));
        let of_repo = index_directory(&repo, base).expect("base is given");
        let of_tree = index_directory(&tree.join("src"), base).expect("base is given");
        assert_eq!(of_repo, of_tree);
        let name = of_repo.file_name().expect("it has a name").to_string_lossy();
        assert!(name.starts_with("repo-"), "{name}");
    }
}
