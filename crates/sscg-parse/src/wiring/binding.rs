//! Destructuring patterns.
//!
//! A pattern is an expression too: a name or member is a target, a record has sub-patterns by field, a list has them
//! by position, and of two alternatives the second is the default.

use sscg_core::wiring::Expression;

/// Calls `set` with each name or member of a pattern and the value assigned to it.
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

/// Returns a member of a value: for a record, its field.
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
