//! Patterns that values are taken apart by.
//!
//! A pattern is a value too: a name or member is what is set, a record names the parts by their fields, a list by their
//! places, and the second of two is what is set if there is nothing.

use sscg_core::wiring::Expression;

/// Tells `set` of each name or member of a pattern, and of what of the value it is set to.
pub(super) fn take_apart(
    target: Expression,
    value: Expression,
    set: &mut impl FnMut(Expression, Expression),
) {
    match target {
        Expression::Name(_) | Expression::Member(..) => set(target, value),
        Expression::Either(both) => {
            if let Ok([target, default]) = <[Expression; 2]>::try_from(both.into_vec()) {
                take_apart(target, Expression::Either(Box::new([value, default])), set);
            }
        }
        Expression::Record(fields) => {
            for (name, target) in fields {
                take_apart(target, member(&value, &name), set);
            }
        }
        Expression::List(targets) => {
            let Expression::List(values) = value else { return };
            if targets.len() == values.len() {
                for (target, value) in targets.into_iter().zip(values) {
                    take_apart(target, value, set);
                }
            }
        }
        _ => {}
    }
}

/// A member of a value: the field of a record.
fn member(value: &Expression, name: &str) -> Expression {
    match value {
        Expression::Record(_) => value.field(name).cloned().unwrap_or(Expression::Other),
        Expression::Either(all) => Expression::Either(all.iter().map(|one| member(one, name)).collect()),
        Expression::Name(_) | Expression::Member(..) | Expression::Call(_) => {
            Expression::Member(Box::new(value.clone()), name.into())
        }
        _ => Expression::Other,
    }
}
