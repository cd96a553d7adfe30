//! Parsing of store addresses.

use std::path::Path;

use sscg_index::IndexError;

/// URI schemes of object stores.
const OBJECT_STORES: &[&str] = &["s3://"];

/// Prefix of a local directory.
const LOCAL: &str = "lance:";

/// True if this crate supports `address`: `lance:` and a directory, or an object store.
pub fn is_address(address: &str) -> bool {
    address.starts_with(LOCAL) || OBJECT_STORES.iter().any(|scheme| address.starts_with(scheme))
}

/// Location of the tables of a project.
#[derive(Debug)]
pub(crate) struct Location {
    /// URI in the form that LanceDB expects.
    pub(crate) uri: String,
    /// Options for the object store.
    pub(crate) options: Vec<(String, String)>,
}

impl Location {
    pub(crate) fn new(
        address: &str,
        project: &str,
        storage: &[(String, String)],
    ) -> Result<Self, IndexError> {
        let refused =
            |message: String| IndexError::Store { operation: "open", place: address.to_owned(), message };
        let base = match address.strip_prefix(LOCAL) {
            Some("") => return Err(refused("name a directory: lance:./index".to_owned())),
            Some(directory) => {
                let absolute = std::path::absolute(Path::new(directory));
                absolute.map_err(|error| refused(error.to_string()))?.to_string_lossy().into_owned()
            }
            None if is_address(address) => address.trim_end_matches('/').to_owned(),
            None => return Err(refused("write lance:<directory> or s3://<bucket>/<prefix>".to_owned())),
        };
        if !is_project_name(project) {
            let rule = "a project's name is made of letters, digits, '.', '-' and '_', and begins with none of the last three";
            return Err(refused(format!("{project:?} is no project's name: {rule}")));
        }
        let mut options = storage.to_vec();
        let is_plain = options
            .iter()
            .any(|(key, value)| key.to_lowercase().ends_with("endpoint") && value.starts_with("http://"));
        if is_plain {
            // An explicit `http://` endpoint is intentional.
            options.push(("allow_http".to_owned(), "true".to_owned()));
        }
        Ok(Self { uri: format!("{base}/{project}"), options })
    }
}

/// True if a name is a valid path segment everywhere, without escapes.
fn is_project_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn location(address: &str, project: &str) -> Result<Location, String> {
        Location::new(address, project, &[]).map_err(|error| error.to_string())
    }

    #[test]
    fn directories_and_buckets_are_addresses() {
        let bucket = location("s3://bucket/prefix/", "shop").expect("valid");
        assert_eq!(bucket.uri, "s3://bucket/prefix/shop");
        let directory = location("lance:index", "shop").expect("valid");
        assert!(Path::new(&directory.uri).is_absolute());
        assert!(directory.uri.ends_with("index/shop"), "{}", directory.uri);
        for address in ["lance:", "index", "ftp://host"] {
            let error = location(address, "shop").expect_err("no address");
            assert!(error.contains(address), "{error}");
        }
    }

    #[test]
    fn a_project_is_one_plain_segment() {
        for name in ["", "a/b", "..", ".hidden", "a b", "a'b", "-a"] {
            assert!(location("lance:index", name).is_err(), "{name}");
        }
        assert!(location("lance:index", "shop-1.2_x").is_ok());
    }

    #[test]
    fn an_endpoint_without_encryption_is_meant() {
        let storage = vec![("aws_endpoint".to_owned(), "http://127.0.0.1:9000".to_owned())];
        let location = Location::new("s3://b", "p", &storage);
        let options = location.expect("valid").options;
        assert!(options.contains(&("allow_http".to_owned(), "true".to_owned())));
    }
}
