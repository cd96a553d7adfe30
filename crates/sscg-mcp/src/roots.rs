//! Roots of a client.

// Newer clients need no roots; older ones will use them for a long time.
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

/// Timeout for the roots of a client; without an answer it has none.
const TIMEOUT: Duration = Duration::from_secs(3);

/// Key of the roots request in an answer that requires input.
const INPUT: &str = "roots";

/// Roots of one client.
#[derive(Default)]
pub(crate) struct ClientRoots {
    known: Mutex<Known>,
}

/// Cached roots of a client.
#[derive(Default)]
struct Known {
    /// `None` until the client has answered, and after it reported a change.
    roots: Option<Vec<PathBuf>>,
    /// Number of reported changes; an answer from before a change is not cached.
    changes: u64,
}

/// Roots of a client, or a request for them.
pub(crate) enum Asked {
    /// Roots of the client, possibly none.
    Known(Vec<PathBuf>),
    /// The client has to answer this request and call again.
    Required(Box<InputRequiredResult>),
}

impl ClientRoots {
    /// Returns the number of roots that the client is known to have.
    pub(crate) fn count(&self) -> Option<usize> {
        self.lock().roots.as_ref().map(Vec::len)
    }

    /// Clears the roots, so that the client is asked again.
    pub(crate) fn forget(&self) {
        let mut known = self.lock();
        known.roots = None;
        known.changes += 1;
    }

    /// Returns the roots for a call. Since protocol version 2026-07-28, servers send no requests to clients: the server
    /// returns the request as its answer, and the client calls again.
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

    /// Returns the roots of a client that started with a handshake. The request is repeated until the client answers;
    /// until then it has no roots.
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
        let Ok(Ok(result)) = tokio::time::timeout(TIMEOUT, peer.list_roots()).await else {
            return Vec::new();
        };
        let roots = directories(result);
        let mut known = self.lock();
        if known.changes == changes {
            known.roots = Some(roots.clone());
        }
        roots
    }

    /// Locks the roots; the lock is held only briefly.
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn has_roots(capabilities: Option<ClientCapabilities>) -> bool {
    capabilities.is_some_and(|capabilities| capabilities.roots.is_some())
}

/// Returns the existing directories among the roots.
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

/// Returns the path of a root that is a file on this machine.
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
