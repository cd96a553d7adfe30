//! Paths in arguments, which must not lead out of the roots.

use std::path::{Component, Path, PathBuf};

use sscg::core::quoted;

use crate::failure::Failure;

/// Files and directories that mark the root of a project.
const MARKS: &[&str] = &[
    ".git",
    ".hg",
    ".jj",
    "sscg.toml",
    "Cargo.toml",
    "package.json",
    "tsconfig.json",
    "pyproject.toml",
    "setup.py",
];

/// True if a directory looks like a project. The user's home directory and its ancestors never do, whatever they
/// contain.
pub(crate) fn is_project(directory: &Path, home: Option<&Path>) -> bool {
    let home = home.map(|home| home.canonicalize().unwrap_or_else(|_| home.to_owned()));
    let is_around_home = home.is_some_and(|home| home.starts_with(directory));
    !is_around_home && directory.parent().is_some() && MARKS.iter().any(|mark| directory.join(mark).exists())
}

/// True for the root of a published project, which is a name and no directory of this machine.
pub(crate) fn is_published(root: &Path) -> bool {
    !root.is_absolute()
}

/// Returns a path filter relative to the project root, for a file, directory or glob given as a relative or absolute
/// path.
pub(crate) fn filter(root: &Path, path: &str) -> Result<String, Failure> {
    let outside = || {
        let message = format!("the path {} is outside of {}", quoted(path), root.display());
        Failure::new(message, "give paths relative to that directory, such as \"src\" or \"src/**/*.py\"")
    };
    let given = Path::new(path);
    let relative = if given.is_absolute() {
        let canonical = given.canonicalize().unwrap_or_else(|_| given.to_owned());
        canonical.strip_prefix(root).or_else(|_| given.strip_prefix(root)).map_err(|_| outside())?.to_owned()
    } else {
        given.to_owned()
    };
    let normal = normalized(&relative).ok_or_else(outside)?;
    // A link may lead anywhere; a glob does not name a file.
    if !is_published(root)
        && let Ok(target) = root.join(&normal).canonicalize()
        && !target.starts_with(root)
    {
        return Err(outside());
    }
    let parts: Vec<_> = normal.iter().map(|part| part.to_string_lossy()).collect();
    Ok(if parts.is_empty() { ".".to_owned() } else { parts.join("/") })
}

/// Resolves `.` and `..`; `None` if the path leads out of its base.
fn normalized(path: &Path) -> Option<PathBuf> {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Normal(part) => normal.push(part),
            Component::CurDir => {}
            Component::ParentDir => {
                if !normal.pop() {
                    return None;
                }
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(normal)
}

/// Resolves a directory, given relative to the first root or absolute, that must be within one of the roots.
pub(crate) fn directory(roots: &[PathBuf], path: &Path) -> Result<PathBuf, Failure> {
    let shown = quoted(&path.to_string_lossy());
    let roots: Vec<&PathBuf> = roots.iter().filter(|root| !is_published(root)).collect();
    let base = roots.first().map_or(Path::new("."), |root| root.as_path());
    let directory = base.join(path).canonicalize().map_err(|error| {
        let message = format!("cannot open {shown}: {}", sscg::index::describe(&error));
        Failure::new(message, hint(&roots))
    })?;
    if !roots.iter().any(|root| directory.starts_with(root)) {
        return Err(Failure::new(
            format!("the directory {shown} is outside of the server's roots"),
            hint(&roots),
        ));
    }
    if !directory.is_dir() {
        return Err(Failure::new(format!("{shown} is no directory"), hint(&roots)));
    }
    Ok(directory)
}

fn hint(roots: &[&PathBuf]) -> String {
    let roots: Vec<String> = roots.iter().map(|root| root.display().to_string()).collect();
    format!("give a directory within {}", roots.join(" or "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_has_a_mark_and_is_not_the_users_home() {
        let directory = tempfile::tempdir().expect("temporary directory");
        let home = directory.path().canonicalize().expect("it exists");
        let shop = home.join("shop");
        std::fs::create_dir(&shop).expect("ours");
        assert!(!is_project(&shop, Some(&home)));
        std::fs::write(shop.join("pyproject.toml"), "").expect("ours");
        assert!(is_project(&shop, Some(&home)));
        // Some users keep their settings in a repository.
        std::fs::create_dir(home.join(".git")).expect("ours");
        assert!(!is_project(&home, Some(&home)) && !is_project(&home, Some(&shop)));
        assert!(is_project(&home, None));
        assert!(!is_project(Path::new("/"), None));
    }

    #[test]
    fn filters_stay_in_the_project() {
        let directory = tempfile::tempdir().expect("temporary directory");
        let root = directory.path().canonicalize().expect("it exists");
        std::fs::create_dir(root.join("src")).expect("ours");
        let filter = |path: &str| filter(&root, path).map_err(|failure| failure.message);
        assert_eq!(filter("src/"), Ok("src".to_owned()));
        assert_eq!(filter("./src/../src/*.py"), Ok("src/*.py".to_owned()));
        assert_eq!(filter("."), Ok(".".to_owned()));
        assert_eq!(filter(&root.join("src").display().to_string()), Ok("src".to_owned()));
        assert_eq!(filter(&root.display().to_string()), Ok(".".to_owned()));
        for outside in ["..", "src/../../x", "/etc/passwd", "/"] {
            filter(outside).expect_err(outside);
        }
    }

    #[test]
    fn published_projects_have_no_directory() {
        let here = Path::new("src");
        assert_eq!(filter(here, "lib.rs").map_err(|failure| failure.message), Ok("lib.rs".to_owned()));
        filter(here, "../x").expect_err("it leads out");
        directory(&[here.to_owned()], Path::new(".")).expect_err("no directory is served");
    }

    #[cfg(unix)]
    #[test]
    fn links_do_not_lead_out() {
        let (directory, other) =
            (tempfile::tempdir().expect("temporary"), tempfile::tempdir().expect("temporary"));
        let root = directory.path().canonicalize().expect("it exists");
        std::os::unix::fs::symlink(other.path(), root.join("link")).expect("ours");
        filter(&root, "link").expect_err("it leads out");
        let roots = [root];
        super::directory(&roots, Path::new("link")).expect_err("it leads out");
        super::directory(&roots, other.path()).expect_err("it is elsewhere");
        super::directory(&roots, Path::new("missing")).expect_err("it is not there");
        assert_eq!(super::directory(&roots, Path::new(".")).expect("the root itself"), roots[0]);
    }
}
