//! The roots that a client names.

// Newer clients need no roots; older ones will have them for long.
#![expect(deprecated, reason = "roots are on their way out of the protocol, and clients still name them")]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use percent_encoding::percent_decode_str;
use rmcp::RoleServer;
use rmcp::model::{
    ClientCapabilities, InputRequest, InputRequiredResult, InputResponses, ListRootsRequest, ListRootsResult,
    ProtocolVersion, Root,
};
use rmcp::service::{Peer, RequestContext};

/// A client that does not say where its roots are within this time has none.
const PATIENCE: Duration = Duration::from_secs(3);

/// What a request for roots is called where it travels with an answer.
const INPUT: &str = "roots";

/// The roots of one client.
#[derive(Default)]
pub(crate) struct ClientRoots {
    known: Mutex<Known>,
}

/// What is known of the roots of a client.
#[derive(Default)]
struct Known {
    /// `None` as long as the client has not answered, and after it said that they changed.
    roots: Option<Vec<PathBuf>>,
    /// How often it said that they changed: what it answered before does not count after.
    changes: u64,
}

/// The roots of a client, as far as they are known.
pub(crate) enum Asked {
    /// It has these, or none.
    Known(Vec<PathBuf>),
    /// It has to be asked, and to call again.
    Required(Box<InputRequiredResult>),
}

impl ClientRoots {
    /// Forgets them, so that the client is asked again.
    pub(crate) fn forget(&self) {
        let mut known = self.lock();
        known.roots = None;
        known.changes += 1;
    }

    /// The roots for a call. Since 2026-07-28 there are no requests to clients: what a server wants to know, it answers
    /// with, and the client calls again.
    pub(crate) async fn of_call(
        &self,
        answers: Option<&InputResponses>,
        context: &RequestContext<RoleServer>,
    ) -> Asked {
        if context.protocol_version().is_none_or(|version| version.has_initialize()) {
            return Asked::Known(self.of_peer(&context.peer).await);
        }
        if !has_roots(context.client_capabilities()) {
            return Asked::Known(Vec::new());
        }
        let answer = answers.and_then(|answers| answers.get(INPUT));
        match answer {
            Some(answer) => {
                let result: Option<ListRootsResult> = serde_json::from_value(answer.clone()).ok();
                Asked::Known(result.map_or_else(Vec::new, directories))
            }
            None => {
                let request = InputRequest::ListRoots(ListRootsRequest::default());
                let requests = BTreeMap::from([(INPUT.to_owned(), request)]);
                Asked::Required(Box::new(InputRequiredResult::from_input_requests(requests)))
            }
        }
    }

    /// The roots of a client that began with a handshake. It is asked until it answers; as long as it does not, it has none.
    pub(crate) async fn of_peer(&self, peer: &Peer<RoleServer>) -> Vec<PathBuf> {
        let info = peer.peer_info();
        let speaks_first = |version: &ProtocolVersion| version.has_initialize();
        let has_roots = info.as_ref().is_some_and(|info| {
            speaks_first(&info.protocol_version) && has_roots(Some(info.capabilities.clone()))
        });
        if !has_roots {
            return Vec::new();
        }
        let changes = {
            let known = self.lock();
            if let Some(roots) = &known.roots {
                return roots.clone();
            }
            known.changes
        };
        let Ok(Ok(result)) = tokio::time::timeout(PATIENCE, peer.list_roots()).await else {
            return Vec::new();
        };
        let roots = directories(result);
        let mut known = self.lock();
        if known.changes == changes {
            known.roots = Some(roots.clone());
        }
        roots
    }

    /// Held for moments only.
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn has_roots(capabilities: Option<ClientCapabilities>) -> bool {
    capabilities.is_some_and(|capabilities| capabilities.roots.is_some())
}

/// The directories among roots.
fn directories(result: ListRootsResult) -> Vec<PathBuf> {
    let mut directories: Vec<PathBuf> = Vec::new();
    for root in &result.roots {
        if let Some(path) = path_of(root).and_then(|path| path.canonicalize().ok())
            && path.is_dir()
            && !directories.contains(&path)
        {
            directories.push(path);
        }
    }
    directories
}

/// The path of a root that is a file of this machine.
fn path_of(root: &Root) -> Option<PathBuf> {
    let rest = root.uri.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let path = percent_decode_str(path).decode_utf8().ok()?;
    // `/C:/work`
    let path = path.strip_prefix('/').filter(|path| path.as_bytes().get(1) == Some(&b':')).unwrap_or(&path);
    Some(PathBuf::from(path)).filter(|path| path.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_addresses_of_files_here() {
        let path = |uri: &str| path_of(&Root::new(uri)).map(|path| path.to_string_lossy().into_owned());
        assert_eq!(path("file:///srv/my%20work"), Some("/srv/my work".to_owned()));
        assert_eq!(path("file://localhost/srv"), Some("/srv".to_owned()));
        assert_eq!(path("file://elsewhere/srv"), None);
        assert_eq!(path("https://example.org/srv"), None);
        assert_eq!(path("file:///%ff"), None);
    }
}
