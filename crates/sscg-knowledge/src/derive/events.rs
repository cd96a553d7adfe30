//! Events that services publish and consume.

mod broker;
mod process;
mod queue;
mod typed;

use std::collections::BTreeMap;

use rayon::prelude::*;
use sscg_core::wiring::Call;
use sscg_core::{Confidence, FileId};

use self::queue::Queues;
use super::code::{At, Code};
use super::passed::{LibraryUse, traced};
use super::settings::Settings;
use super::value::{ExternalValue, Piece, TextPattern, literal};
use crate::{EventUse, MessageDirection, Model};

/// Message operation of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Action {
    transport: &'static str,
    does: Does,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Does {
    /// Publishes an event. Texts: its name and its channel.
    Send,
    /// Consumes an event. Texts: its name and its channel.
    Listen,
    /// Binds an event to a queue. Texts: its name, its channel and the queue.
    Bind,
    /// Consumes all events of a queue. Texts: the queue.
    Consume,
}

/// Adds the events that services publish and consume.
pub(super) fn derive(code: &Code<'_>, model: &mut Model) {
    let libraries: Vec<&str> = broker::LIBRARIES
        .iter()
        .map(|(library, _)| *library)
        .chain(process::LIBRARIES.iter().copied())
        .chain(typed::LIBRARIES.iter().copied())
        .collect();
    let mut files = code.files_using(&libraries);
    files.extend(code.csharp_naming(typed::DOTNET_NAMES));
    files.sort_unstable();
    files.dedup();
    let found = files.into_par_iter().flat_map_iter(|file| {
        let wired = code.wired(file);
        let calls = wired.calls().flat_map(move |call| of_call(code, file, call));
        let decorated = wired.decorators().flat_map(move |decorator| {
            let mut uses = process::decorated(code, file, decorator);
            uses.extend(typed::decorated(code, file, decorator));
            uses
        });
        calls.chain(decorated).chain(typed::consumers(code, file))
    });
    let is_open = |found: &LibraryUse<Action>| {
        found.texts.iter().flatten().any(|piece| matches!(piece, Piece::Parameter(_)))
    };
    // Events on a package's own bus are not events of the programs that use the package.
    let is_own = |found: &LibraryUse<Action>| {
        found.kind.transport != process::TRANSPORT || code.service_of(found.file).is_some()
    };
    let mut traced = traced(code, found.filter(is_own).collect(), is_open);
    traced.retain(|found| !code.is_test_code(found.file, found.offset));
    let settings = Settings::new(&model.settings);
    traced.iter_mut().for_each(|found| settings.fill(code, found));
    let queues = Queues::new(code, &traced);
    let mut events: BTreeMap<_, EventUse> = BTreeMap::new();
    for found in &traced {
        for event in events_of(code, &queues, found) {
            let key = (found.file, found.offset, event.event.clone(), event.direction, event.service.clone());
            let known = events.entry(key).or_insert_with(|| event.clone());
            if known.evidence.confidence < event.evidence.confidence {
                *known = event;
            }
        }
    }
    model.events.extend(events.into_values());
}

fn of_call(code: &Code<'_>, file: FileId, call: &Call) -> Vec<LibraryUse<Action>> {
    let Some(name) = call.callee.last_name() else { return Vec::new() };
    if call.arguments.is_empty()
        || !(broker::is_method(name) || process::is_method(name) || typed::is_method(name))
    {
        return Vec::new();
    }
    let callee = At { file, offset: call.span.start, expression: &call.callee };
    let of_external = |outside: ExternalValue<'_>| {
        let mut uses = broker::called(code, callee, call, &outside);
        uses.extend(process::called(code, callee, call, &outside));
        uses.extend(typed::called(code, callee, call, &outside));
        uses
    };
    code.external(callee).into_iter().filter(|external| external.is_imported).flat_map(of_external).collect()
}

/// Returns the events of a use; for a use that consumes a queue, the events of the queue.
fn events_of(code: &Code<'_>, queues: &Queues, found: &LibraryUse<Action>) -> Vec<EventUse> {
    let Some(service) = code.service_of(found.file) else { return Vec::new() };
    let known = |at: usize| found.texts.get(at).and_then(|text: &TextPattern| literal(text));
    let (direction, events) = match found.kind.does {
        Does::Send | Does::Listen => {
            let direction = match found.kind.does {
                Does::Send => MessageDirection::Publishes,
                _ => MessageDirection::Consumes,
            };
            (
                direction,
                named(known(0), known(1))
                    .map(|(event, channel)| (event, channel, true))
                    .into_iter()
                    .collect(),
            )
        }
        Does::Bind => {
            let is_sure = match known(2).map(|queue| queues.taken_by(service, &queue)) {
                // Only other services consume the queue.
                Some(Some(false)) => return Vec::new(),
                taken => taken != Some(None),
            };
            let events = named(known(0), known(1)).map(|(event, channel)| (event, channel, is_sure));
            (MessageDirection::Consumes, events.into_iter().collect::<Vec<_>>())
        }
        Does::Consume => match known(0) {
            Some(queue) => (MessageDirection::Consumes, queues.events_for(service, queue)),
            None => return Vec::new(),
        },
    };
    let is_own = |event: &str| found.kind.transport == process::TRANSPORT && process::OWN.contains(&event);
    let site = code.site(found.file, found.offset, found.line);
    let event = |(event, channel, is_sure): (String, String, bool)| {
        let confidence = if is_sure && found.is_sure { Confidence::Exact } else { Confidence::Inferred };
        EventUse {
            service: service.into(),
            event: event.into(),
            channel: channel.into(),
            transport: found.kind.transport.into(),
            direction,
            site: Some(site),
            evidence: code.evidence(site, confidence),
        }
    };
    events.into_iter().filter(|(event, _, _)| !is_own(event)).map(event).collect()
}

/// Returns the name and channel of an event; a missing one is replaced by the other.
fn named(event: Option<String>, channel: Option<String>) -> Option<(String, String)> {
    let channel = channel.unwrap_or_default();
    match event {
        Some(event) if !event.is_empty() => {
            let channel = if channel.is_empty() { event.clone() } else { channel };
            Some((event, channel))
        }
        // Every message of an exchange that ignores routing keys is the same event.
        Some(_) if !channel.is_empty() => Some((channel.clone(), channel)),
        _ => None,
    }
}

/// Returns the empty text, for an absent argument.
fn nothing() -> Vec<TextPattern> {
    vec![vec![Piece::Text("".into())]]
}
