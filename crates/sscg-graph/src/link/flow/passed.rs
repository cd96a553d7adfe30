//! Values that the code of a file passes to targets anywhere.

use rustc_hash::FxHashMap;
use sscg_core::{Confidence, FileId, FlowArgument, Slot, Value};

use super::{AbstractValue, AbstractValues, Evaluator, FilePassed, FlowTarget, MAX_PASSED};

impl<'a> Evaluator<'_, 'a> {
    /// Returns the values that the calls and assignments of a file pass to targets anywhere, by target.
    pub(in crate::link) fn passed_by_file(&mut self, file: FileId) -> FilePassed {
        let mut passed: FxHashMap<FlowTarget, AbstractValues<'a>> = FxHashMap::default();
        let flow = self.flow(file);
        for (id, call) in flow.calls.iter_enumerated() {
            let is_known = |argument: &FlowArgument| !matches!(flow.values[argument.value], Value::Unknown);
            if !call.arguments.iter().any(is_known) {
                continue;
            }
            self.begin();
            let mut run = Vec::new();
            for (pointee, _) in self.value(file, call.callee).iter() {
                self.functions_run(pointee, &mut run);
            }
            for ((at, function), offset) in run {
                for nth in 0..self.linker.context.parameters(at, function).len() {
                    let Ok(nth) = u8::try_from(nth) else { break };
                    if !self.takes_anything(at, function, nth) {
                        continue;
                    }
                    let pointees = self.passed_by(file, id, at, function, nth, offset);
                    if !pointees.is_empty() {
                        gather(passed.entry(FlowTarget::Parameter(at, function, nth)).or_default(), pointees);
                    }
                }
            }
        }
        for store in self.linker.context.foreign_stores(file) {
            let Slot::Member(name) = &store.slot else { continue };
            self.begin();
            for (object, _) in self.value(file, store.object).iter() {
                let (AbstractValue::Instance { class, .. } | AbstractValue::Class { class, .. }) = object
                else {
                    continue;
                };
                let pointees = self.value(file, store.value);
                if !pointees.is_empty() {
                    let target = FlowTarget::attribute(*class, name);
                    gather(passed.entry(target).or_default(), pointees.iter().cloned());
                }
            }
        }
        let kept = |pointee: &AbstractValue<'a>| pointee.map(|text| Box::from(*text));
        let kept_all = |(target, pointees): (FlowTarget, AbstractValues<'a>)| {
            (target, pointees.iter().map(|(pointee, sure)| (kept(pointee), *sure)).collect())
        };
        let mut passed: FilePassed = passed.into_iter().map(kept_all).collect();
        passed.sort_unstable_by_key(|(target, _)| *target);
        passed
    }
}

/// Adds values without duplicates, up to one more than the limit of a target: then further ones do not matter.
fn gather<'a>(
    known: &mut AbstractValues<'a>,
    pointees: impl IntoIterator<Item = (AbstractValue<'a>, Confidence)>,
) {
    for (pointee, sure) in pointees {
        match known.iter().position(|(other, _)| *other == pointee) {
            Some(at) => known[at].1 = known[at].1.max(sure),
            None if known.len() > MAX_PASSED => {}
            None => known.push((pointee, sure)),
        }
    }
}
