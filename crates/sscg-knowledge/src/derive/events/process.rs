//! Events within one process, and those of frameworks that hide their transport.

use sscg_core::FileId;
use sscg_core::wiring::{Call, Decorator};

use super::{Action, Does, nothing};
use crate::derive::code::{At, Code};
use crate::derive::passed::LibraryUse;
use crate::derive::value::ExternalValue;

/// Transport of events within one process.
pub(super) const TRANSPORT: &str = "process";

/// Packages with an event bus.
pub(super) const LIBRARIES: &[&str] = &[
    "@nestjs/event-emitter",
    "@nestjs/microservices",
    "eventemitter2",
    "eventemitter3",
    "events",
    "mitt",
    "pyee",
];

/// Events that emitters of the runtime and of libraries emit about themselves, which are not events of the program.
pub(super) const OWN: &[&str] = &[
    "abort",
    "close",
    "connect",
    "connection",
    "data",
    "disconnect",
    "drain",
    "end",
    "error",
    "exit",
    "finish",
    "listening",
    "message",
    "newListener",
    "open",
    "ready",
    "removeListener",
    "timeout",
];

/// True if calls by this name may publish or consume.
pub(super) fn is_method(name: &str) -> bool {
    does(name).is_some()
}

fn does(method: &str) -> Option<Does> {
    match method {
        "emit" | "emitAsync" => Some(Does::Send),
        "on" | "once" | "addListener" | "prependListener" | "add_listener" => Some(Does::Listen),
        _ => None,
    }
}

/// Returns the events that a call of an emitter publishes or consumes.
pub(super) fn called<'c>(
    code: &'c Code<'_>,
    at: At<'c>,
    call: &'c Call,
    external: &ExternalValue<'c>,
) -> Vec<LibraryUse<Action>> {
    let (library, rest) = external.split();
    let Some((emitter, method)) = rest.rsplit_once('.') else { return Vec::new() };
    let Some(does) = does(method) else { return Vec::new() };
    let is_emitter = match library {
        "@nestjs/microservices" => emitter.ends_with("ClientProxy()") || emitter.ends_with("ClientKafka()"),
        "mitt" | "eventemitter2" | "eventemitter3" | "events" if emitter == "()" => true,
        _ => {
            emitter.ends_with("Emitter()")
                || emitter.ends_with("Emitter2()")
                || emitter == "default()"
                || emitter == "Emitter.new()"
        }
    };
    if !LIBRARIES.contains(&library) || !is_emitter || is_local(code, external) {
        return Vec::new();
    }
    let transport = match library {
        "@nestjs/microservices" if emitter.ends_with("ClientKafka()") => "kafka",
        "@nestjs/microservices" => "",
        _ => TRANSPORT,
    };
    named(code, at, call, Action { transport, does })
}

/// True if an emitter is made and kept within one call of a function, so that no other code listens to it.
fn is_local(code: &Code<'_>, emitter: &ExternalValue<'_>) -> bool {
    emitter.made_by.is_some_and(|made| {
        let wired = code.wired(made.file);
        let Some(call) = wired.call(made.expression) else { return false };
        let Some((_, function)) = wired.functions_at(call.span.start).next() else { return false };
        // A field outlives the function that sets it.
        !wired.bindings().any(|binding| {
            binding.span.contains(call.span)
                && function.span.contains(binding.span)
                && binding.target.receiver().is_some()
        })
    })
}

/// Returns the events that a decorator makes a method consume.
pub(super) fn decorated(code: &Code<'_>, file: FileId, decorator: &Decorator) -> Vec<LibraryUse<Action>> {
    let call = &decorator.call;
    let at = At { file, offset: call.span.start, expression: &call.callee };
    let transport = match call.callee.last_name() {
        Some("OnEvent") => TRANSPORT,
        Some("EventPattern" | "MessagePattern") => "",
        _ => return Vec::new(),
    };
    let is_ours = |external: &ExternalValue<'_>| {
        external.is_imported
            && matches!(external.split().0, "@nestjs/event-emitter" | "@nestjs/microservices")
    };
    if !code.external(at).iter().any(is_ours) {
        return Vec::new();
    }
    let mut uses = named(code, at, call, Action { transport, does: Does::Listen });
    // The consumer is the method, not its decorator.
    uses.iter_mut().for_each(|found| found.offset = decorator.target.start);
    uses
}

fn named<'c>(code: &'c Code<'_>, at: At<'c>, call: &'c Call, action: Action) -> Vec<LibraryUse<Action>> {
    let Some(name) = call.positional(0) else { return Vec::new() };
    let name = at.with(name);
    let name = code.field(name, "cmd").unwrap_or(name);
    let names = code.elements(name).into_iter().flat_map(|name| code.texts(name));
    LibraryUse::each(at.file, call, &action, true, vec![names.collect(), nothing()])
}
