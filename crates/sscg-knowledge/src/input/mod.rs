//! What is learned from files that are no code: service maps, interfaces, contracts and manifests.

use crate::Model;

/// A file that may tell of services, as it was read.
#[derive(Clone, Debug)]
pub struct InputFile {
    /// Its path relative to the project's root, with forward slashes.
    pub path: String,
    /// Its bytes, or why there are none.
    pub content: Result<Vec<u8>, String>,
}

/// What is handed in beside the files of the tree.
#[derive(Clone, Debug, Default)]
pub struct GivenInputs {
    /// A service map: a name, whose ending says the format, and its text.
    pub service_map: Option<(String, String)>,
    /// A domain model, likewise.
    pub domain_model: Option<(String, String)>,
    /// The interfaces of services as JSON, by service.
    pub service_interfaces_json: Option<String>,
}

/// How many bytes a file of this path may have to be read; 0 if it counts only that it is there, `None` if the file says
/// nothing of services.
pub fn input_limit(_path: &str) -> Option<u64> {
    None
}

/// Everything that the files of a project and what is handed in say of its services. What cannot be read becomes a
/// problem in [`Model::errors`], and the rest is read all the same.
pub fn read_inputs(_files: &[InputFile], _given: &GivenInputs) -> Model {
    Model::default()
}
