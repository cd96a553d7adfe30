//! Bodies and calls of the compiler's intermediate representation (MIR), as printed by `rustc --emit=mir`.

use super::source::{At, Stretch};

/// A function, constant or static with a body.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Body {
    /// Path; that of a closure ends with `::{closure#0}`.
    pub(super) path: String,
    /// True for a function.
    pub(super) is_function: bool,
    /// Position of the result type, which may be implicit.
    pub(super) result_at: At,
    pub(super) calls: Vec<MirCall>,
}

/// A call of a named function.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MirCall {
    /// Callee, as the compiler prints it.
    pub(super) callee: String,
    /// Span of the callee's name in the source.
    pub(super) at: Stretch,
}

/// Parses the bodies of a crate.
pub(super) fn bodies(mir: &str) -> Vec<Body> {
    let mut bodies = Vec::new();
    let mut header: Option<(&str, bool)> = None;
    // The last call, until the name of its callee has been read.
    let mut call: Option<&str> = None;
    let mut span: Option<Stretch> = None;
    for line in mir.lines() {
        if let Some(found) = header_of(line) {
            header = Some(found);
            call = None;
            continue;
        }
        let (code, comment) = line.split_once(" // ").map_or((line, ""), |(code, rest)| (code.trim(), rest));
        if let Some(at) = comment.strip_prefix("return place in scope 0 at ") {
            if let (Some((path, is_function)), Some(at)) = (header.take(), Stretch::parse(at)) {
                let body = Body { path: path.to_owned(), is_function, result_at: at.start, calls: vec![] };
                bodies.push(body);
            }
        } else if code.contains(" -> ") && code.contains('(') {
            call = Some(code);
        } else if let Some(at) = comment.trim_start().strip_prefix("+ span: ") {
            span = Stretch::parse(at);
        } else if let Some(constant) = comment.trim_start().strip_prefix("+ const_: ") {
            let value = constant.rsplit_once("val: Value(").map(|(_, value)| value.trim_end_matches(" }"));
            let value = value.and_then(|value| value.strip_suffix(')'));
            if let (Some(code), Some(callee), Some(at)) = (call.take(), value, span.take())
                && calls(code, callee)
                && let Some(body) = bodies.last_mut()
            {
                body.calls.push(MirCall { callee: callee.to_owned(), at });
            }
        }
    }
    bodies
}

/// True if a terminator calls `callee`, rather than passing it as an argument.
fn calls(code: &str, callee: &str) -> bool {
    let called = code.split_once(" = ").map_or(code, |(_, called)| called);
    called.strip_prefix(callee).is_some_and(|rest| rest.starts_with('('))
}

/// Returns the path of a body that starts on this line, and true if it is a function.
fn header_of(line: &str) -> Option<(&str, bool)> {
    if let Some(rest) = line.strip_prefix("fn ") {
        let mut depth = 0u32;
        // Blocks are named by their position in angle brackets; parameters follow in parentheses.
        let end = rest.char_indices().find(|(_, c)| match c {
            '<' => {
                depth += 1;
                false
            }
            '>' => {
                depth = depth.saturating_sub(1);
                false
            }
            c => *c == '(' && depth == 0,
        });
        return Some((&rest[..end?.0], true));
    }
    let rest = line.strip_prefix("const ").or_else(|| line.strip_prefix("static "))?;
    let rest = rest.strip_prefix("mut ").unwrap_or(rest);
    // `a::<impl at src/a.rs:1:2: 3:4>::NAME: Type = {`
    let from = rest.rfind("<impl at ").map_or(0, |at| at + rest[at..].find('>').unwrap_or(0));
    let end = from + rest[from..].find(": ")?;
    Some((&rest[..end], false))
}

/// Returns the path of the item that a body belongs to: without closures, promoted constants and the like.
pub(super) fn item_path(path: &str) -> &str {
    let mut path = path;
    while let Some((outer, last)) = path.rsplit_once("::")
        && (last.starts_with('{') || last.starts_with("promoted["))
    {
        path = outer;
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIR: &str = "\
fn a::<impl at src/a.rs:4:1: 4:25>::run(_1: &A) -> () {
    let mut _0: ();                      // return place in scope 0 at src/a.rs:5:20: 5:20

    bb0: {
        _2 = b::f::<T>(move _3, const c::g) -> [return: bb1, unwind continue]; // scope 1 at src/a.rs:6:9: 6:20
                                         // mir::ConstOperand
                                         // + span: src/a.rs:6:9: 6:10
                                         // + const_: Const { ty: fn(T) {b::f::<T>}, val: Value(b::f::<T>) }
                                         // mir::ConstOperand
                                         // + span: src/a.rs:6:18: 6:19
                                         // + const_: Const { ty: fn() {c::g}, val: Value(c::g) }
        _4 = move _5(const c::g) -> [return: bb2, unwind continue]; // scope 1 at src/a.rs:7:9: 7:20
                                         // mir::ConstOperand
                                         // + span: src/a.rs:7:18: 7:19
                                         // + const_: Const { ty: fn() {c::g}, val: Value(c::g) }
    }
}

const a::<impl at src/a.rs:9:1: 9:5>::LEN: usize = {
    let mut _0: usize;                   // return place in scope 0 at src/a.rs:10:16: 10:21
";

    #[test]
    fn bodies_and_calls_are_read() {
        let bodies = bodies(MIR);
        assert_eq!(bodies.len(), 2);
        assert_eq!(bodies[0].path, "a::<impl at src/a.rs:4:1: 4:25>::run");
        assert_eq!(bodies[0].result_at, At { path: "src/a.rs".into(), line: 5, column: 20 });
        let calls: Vec<&str> = bodies[0].calls.iter().map(|call| &*call.callee).collect();
        assert_eq!(calls, ["b::f::<T>"]);
        assert_eq!(bodies[1].path, "a::<impl at src/a.rs:9:1: 9:5>::LEN");
        assert!(!bodies[1].is_function);
        assert_eq!(item_path("a::f::{closure#0}::promoted[1]"), "a::f");
    }
}
