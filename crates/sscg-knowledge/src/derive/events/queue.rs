//! Queues, with their bindings and consumers.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Action, Does, named};
use crate::derive::code::Code;
use crate::derive::passed::LibraryUse;
use crate::derive::value::literal;

/// Bindings and consumers of queues.
#[derive(Default)]
pub(super) struct Queues {
    /// Bindings of each queue: the service that binds, the event and the channel.
    bound: FxHashMap<String, Vec<(String, String, String)>>,
    /// Services that consume each queue.
    listeners: FxHashMap<String, FxHashSet<String>>,
}

impl Queues {
    pub(super) fn new(code: &Code<'_>, uses: &[LibraryUse<Action>]) -> Self {
        let mut queues = Self::default();
        for found in uses {
            let Some(service) = code.service_of(found.file) else { continue };
            let known = |at: usize| found.texts.get(at).and_then(|text| literal(text));
            match found.kind.does {
                Does::Bind => {
                    if let (Some((event, channel)), Some(queue)) = (named(known(0), known(1)), known(2)) {
                        queues.bound.entry(queue).or_default().push((service.to_owned(), event, channel));
                    }
                }
                Does::Consume => {
                    if let Some(queue) = known(0) {
                        queues.listeners.entry(queue).or_default().insert(service.to_owned());
                    }
                }
                Does::Send | Does::Listen => {}
            }
        }
        queues
    }

    /// True if a service consumes a queue; `None` if the queue has no known consumer.
    pub(super) fn taken_by(&self, service: &str, queue: &str) -> Option<bool> {
        self.listeners.get(queue).map(|services| services.contains(service))
    }

    /// Returns the events that a service consumes from a queue: none if the service binds the queue itself, since each
    /// binding already counts; those that others bind to it; the queue's own name if there is no binding.
    pub(super) fn events_for(&self, service: &str, queue: String) -> Vec<(String, String, bool)> {
        match self.bound.get(&queue) {
            Some(bound) if bound.iter().any(|(by, _, _)| by == service) => Vec::new(),
            Some(bound) => {
                bound.iter().map(|(_, event, channel)| (event.clone(), channel.clone(), true)).collect()
            }
            None => vec![(queue.clone(), queue, true)],
        }
    }
}
