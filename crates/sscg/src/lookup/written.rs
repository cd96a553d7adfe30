//! Textual evidence of a possible use: a name without a prefix does not refer to a member; a call with other
//! arguments, or on a value although there is no `self`, is not a call of the Rust function.

use std::collections::BTreeSet;
use std::ops::Range;

use sscg_core::{FileId, LineIndex, ModuleSystem, Symbol, SymbolId, SymbolKind};
use sscg_graph::traverse::UseSite;
use sscg_graph::{Node, Reason};
use sscg_index::Snapshot;

/// Textual form of uses of a declaration.
pub(super) struct Written<'s> {
    snapshot: &'s Snapshot,
    name: &'s str,
    is_member: bool,
    is_callable: bool,
    is_rust: bool,
    /// Rust type that it is declared for, except by a trait: no path through another type leads to it.
    owner: Option<&'s str>,
    parameters: Option<Parameters>,
}

/// Parameters of a Rust function.
struct Parameters {
    /// Number without `self`.
    count: usize,
    has_self: bool,
    /// Kind of the first parameter after `self`, if certain.
    first: Kind,
}

/// Kind of a parameter or an argument, as far as its text shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Number or Boolean, by value.
    Number,
    /// String.
    Text,
    /// Character.
    Character,
    /// Reference to a value.
    Reference,
    /// Reference to a slice or a path.
    Slice,
    /// Array or closure.
    Other,
    /// Unknown kind.
    Unknown,
}

/// Maximum number of lines that a call may span.
const MOST_LINES: u32 = 12;

impl<'s> Written<'s> {
    pub(super) fn new(snapshot: &'s Snapshot, symbol: SymbolId) -> Self {
        let project = &snapshot.project;
        let (file, local) = project.local_symbol(symbol);
        let entry = &project.files()[file];
        let declared = &entry.facts.symbols[local];
        let around = declared.parent.map(|parent| &entry.facts.symbols[parent]);
        let parent = around.map(|around| around.kind);
        let is_rust = entry.language.modules == ModuleSystem::RustCrates;
        Self {
            snapshot,
            name: project.symbol_name(symbol),
            is_callable: declared.kind.is_callable(),
            is_rust,
            owner: around.filter(|_| is_rust).and_then(own_type),
            is_member: parent.is_some_and(|kind| kind.has_members() && kind != SymbolKind::Module),
            parameters: if is_rust { Parameters::of(&declared.name, &declared.signature) } else { None },
        }
    }

    /// Returns true if the line of a site may use the declaration, as far as its text shows.
    pub(super) fn fits(&self, site: &UseSite) -> bool {
        let (project, graph) = (&self.snapshot.project, &self.snapshot.graph);
        let file: FileId = match graph.node(site.node) {
            Node::File(file) => file,
            Node::Symbol(symbol) => project.symbol_file(symbol),
            Node::External(_) => return true,
        };
        let Some(source) = self.snapshot.source(file) else { return true };
        let index = LineIndex::new(&source);
        let span = index.line_span(site.line);
        let (start, end) = (span.start as usize, span.end as usize);
        let mut named: Vec<(usize, usize)> = self.named_in(&source, start..end).collect();
        if named.is_empty() {
            // A call that spans several lines: the name is on one of the next.
            let end = index.line_span(site.line.saturating_add(MOST_LINES)).end as usize;
            named.extend(self.named_in(&source, start..end).next());
        }
        let is_bare = |(at, _): &(usize, usize)| !source[..*at].trim_end().ends_with(['.', ':']);
        if self.is_member && named.iter().any(|it| !is_bare(it)) {
            // A bare name next to it is a variable.
            named.retain(|it| !is_bare(it));
        }
        // Without the name, the line may use an alias.
        named.is_empty()
            || named.iter().any(|it| {
                let may_be_member =
                    !(self.is_member && is_bare(it) && site.reason == Some(Reason::NotDefined));
                may_be_member && self.is_called(&source, *it) && !self.is_of_other_type(&source, it.0)
            })
    }

    /// Returns the lines of a text that use the name as code does, after a dot or a path, or with arguments: first
    /// lines of code, then lines of comments, as far as each line shows.
    pub(super) fn lines_in(&self, source: &str, index: &LineIndex) -> [BTreeSet<u32>; 2] {
        let is_use = |(at, behind): &(usize, usize)| {
            let (before, after) = (source[..*at].trim_end(), &source[*behind..]);
            let is_path = before.ends_with("::");
            let is_of_value = before.ends_with('.') && !before.ends_with("..");
            let is_called = after.starts_with('(') || after.starts_with("::<");
            let is_use = match (self.is_member, self.is_rust) {
                (true, true) => is_path || is_of_value && (is_called || !self.is_callable),
                (true, false) => is_of_value,
                (false, true) => {
                    let is_given = before.ends_with(['(', '[', ',']) && after.starts_with([',', ')', ']']);
                    is_path || is_called && !is_of_value || is_given && is_in_macro(source, *at)
                }
                (false, false) => is_called || is_of_value,
            };
            is_use && self.is_called(source, (*at, *behind)) && !self.is_of_other_type(source, *at)
        };
        let mut lines: [BTreeSet<u32>; 2] = Default::default();
        for (at, _) in self.named_in(source, 0..source.len()).filter(is_use) {
            let [code, comments] = &mut lines;
            match Around::of(source, at) {
                Around::Code => code.insert(index.line(at as u32)),
                Around::Comment => comments.insert(index.line(at as u32)),
                Around::Text => false,
            };
        }
        lines
    }

    /// Returns true if the path before a place names a type other than the owner. Aliases, type parameters and
    /// associated types do not count, since they may stand for any type.
    fn is_of_other_type(&self, source: &str, at: usize) -> bool {
        let (Some(owner), Some(before)) = (self.owner, source[..at].strip_suffix("::")) else { return false };
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let name = &before[before.trim_end_matches(is_part).len()..];
        let path = before[..before.len() - name.len()].strip_suffix("::").unwrap_or_default();
        let around = &path[path.trim_end_matches(is_part).len()..];
        let is_type =
            name.starts_with(|c: char| c.is_ascii_uppercase()) && name.contains(|c: char| c.is_lowercase());
        let is_own = name == owner
            || name == "Self"
            || path.ends_with('>')
            || around.starts_with(|c: char| c.is_ascii_uppercase());
        let project = &self.snapshot.project;
        // An associated type in an implementation has a path of its own.
        let stands_for_another = |symbol: SymbolId| match project.symbol_kind(symbol) {
            SymbolKind::TypeAlias => {
                !project.self_and_ancestors(symbol).any(|it| project.symbol_kind(it) == SymbolKind::Impl)
            }
            kind => matches!(kind, SymbolKind::Trait | SymbolKind::Macro),
        };
        // A path through a module or a primitive type does not lead to a function of a type.
        let is_module = self.is_callable
            && name.starts_with(|c: char| c.is_ascii_lowercase())
            && !before.ends_with(&format!("${name}"))
            && !project.definitions_named(name).any(|symbol| project.symbol_kind(symbol).is_type());
        (is_type || is_module)
            && !is_own
            && !source.contains(&format!(" as {name}"))
            && !project.definitions_named(name).any(stands_for_another)
    }

    /// Returns the start and end of each occurrence of the name as a word in a part of a text.
    fn named_in<'t>(
        &'t self,
        text: &'t str,
        part: Range<usize>,
    ) -> impl Iterator<Item = (usize, usize)> + 't {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let start = part.start;
        let named = text[part].match_indices(self.name);
        let named = named.map(move |(at, _)| (start + at, start + at + self.name.len()));
        named.filter(move |(at, behind)| {
            !text[*behind..].starts_with(is_part) && !text[..*at].ends_with(is_part)
        })
    }

    /// Returns true if a name may be a use of this function: its path does not continue, it is called on a value only
    /// if the function has `self`, and the arguments match.
    fn is_called(&self, source: &str, (at, behind): (usize, usize)) -> bool {
        let Some(parameters) = &self.parameters else { return true };
        let (before, after) = (source[..at].trim_end(), &source[behind..]);
        let is_on_value = before.ends_with('.') && !before.ends_with("..");
        let arguments = match after.strip_prefix("::") {
            Some(types) if types.starts_with('<') => end_of_types(types).map_or("", |end| &types[end..]),
            Some(_) => return false,
            None => after,
        };
        (parameters.has_self || !is_on_value) && parameters.take(arguments, is_on_value)
    }
}

/// Returns the Rust type that a declaration with the parent `around` belongs to, unless the parent is a trait or
/// implements one.
fn own_type(around: &Symbol) -> Option<&str> {
    let is_own = match around.kind {
        SymbolKind::Impl => !around.signature.contains(" for "),
        kind => kind.is_type() && kind != SymbolKind::Trait,
    };
    is_own.then_some(&*around.name)
}

/// Maximum number of bytes before a Rust expression that are searched for an enclosing macro call.
const MOST_BEFORE: usize = 2_000;

/// Macros that take values: a name in them is mostly a local variable.
const OF_VALUES: [&str; 14] = [
    "assert",
    "assert_eq",
    "assert_ne",
    "debug",
    "error",
    "format",
    "info",
    "panic",
    "print",
    "println",
    "eprintln",
    "write",
    "writeln",
    "vec",
];

/// Returns true if a place in Rust code is an argument of a macro other than those of `OF_VALUES`, judged by
/// brackets.
fn is_in_macro(source: &str, at: usize) -> bool {
    let before = &source.as_bytes()[at.saturating_sub(MOST_BEFORE)..at];
    let mut closed = 0_usize;
    for (place, byte) in before.iter().enumerate().rev() {
        match byte {
            b')' | b']' | b'}' => closed += 1,
            b'(' | b'[' | b'{' if closed > 0 => closed -= 1,
            b'(' | b'[' | b'{' => {
                if let Some(name) = before[..place].trim_ascii_end().strip_suffix(b"!") {
                    return !OF_VALUES.iter().any(|it| name.ends_with(it.as_bytes()));
                }
                if *byte == b'{' {
                    return false;
                }
            }
            _ => {}
        }
    }
    false
}

/// Context of a place, as far as its line shows.
enum Around {
    /// Code, except imports and strings.
    Code,
    Comment,
    /// String or import.
    Text,
}

impl Around {
    fn of(source: &str, at: usize) -> Self {
        let start = source[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let before = &source[start..at];
        let is_comment =
            before.contains("//") || before.contains("# ") || before.trim_start().starts_with(['*', '#']);
        let is_import =
            ["import ", "from ", "use ", "pub use "].iter().any(|it| before.trim_start().starts_with(it));
        let is_quoted = before.matches('"').count() % 2 == 1 || before.matches('`').count() % 2 == 1;
        match () {
            () if is_import || is_quoted => Self::Text,
            () if is_comment => Self::Comment,
            () => Self::Code,
        }
    }
}

impl Parameters {
    /// Parses a signature; `None` if it is not a function's, or is not clear.
    fn of(name: &str, signature: &str) -> Option<Self> {
        let (_, behind) = signature.split_once(&format!("fn {name}"))?;
        let start = if behind.starts_with('<') { end_of_types(behind)? } else { 0 };
        let mut parameters = parameters_at(&behind[start..])?;
        let is_self =
            |it: &&str| it.trim_start_matches(['&', ' ']).split([' ', ':']).any(|word| word == "self");
        let has_self = parameters.first().is_some_and(is_self);
        if has_self {
            parameters.remove(0);
        }
        let first = parameters
            .first()
            .and_then(|it| it.split_once(':'))
            .map_or(Kind::Unknown, |(_, ty)| Kind::of(ty));
        Some(Self { count: parameters.len(), has_self, first })
    }

    /// Returns true if the function may be called with the arguments at the start of a text, if any, on a value or
    /// not.
    fn take(&self, text: &str, is_on_value: bool) -> bool {
        let Some(inside) = text.strip_prefix('(') else { return true };
        // `Type::method(value, ..)` passes the receiver as the first argument.
        let more = usize::from(self.has_self && !is_on_value);
        let is_refused = more == 0 && self.count > 0 && self.first.refuses(Kind::of_argument(inside));
        !is_refused && count_arguments(text).is_none_or(|count| count == self.count + more)
    }
}

impl Kind {
    /// Returns the kind of a type.
    fn of(ty: &str) -> Self {
        let ty = ty.trim();
        let Some(referred) = ty.strip_prefix('&') else {
            let is_number = ty.len() > 1
                && ty.starts_with(['u', 'i', 'f'])
                && ty[1..].bytes().all(|b| b.is_ascii_digit());
            return if is_number || matches!(ty, "usize" | "isize" | "bool") {
                Self::Number
            } else {
                Self::Unknown
            };
        };
        let lifetime = referred.strip_prefix('\'').and_then(|it| it.split_once(' '));
        match lifetime.map_or(referred, |(_, referred)| referred).trim() {
            "str" => Self::Text,
            "Path" => Self::Slice,
            slice if slice.starts_with('[') => Self::Slice,
            _ => Self::Unknown,
        }
    }

    /// Returns the kind of the first argument, if it is only a literal, a closure or a reference to a name.
    fn of_argument(text: &str) -> Self {
        let text = text.trim_start();
        let (kind, end) = match text.as_bytes().first() {
            Some(b'|') => return Self::Other,
            Some(b'"') => (Self::Text, end_of_literal(text)),
            Some(b'\'') => (Self::Character, end_of_literal(text)),
            Some(b'[') => (Self::Other, end_of_operand(text, |_| false)),
            Some(b'0'..=b'9') => (Self::Number, text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')),
            Some(b'&') => {
                let is_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '*' | '&' | '!');
                (Self::Reference, end_of_operand(text, is_path))
            }
            _ => return Self::Unknown,
        };
        let behind = end.and_then(|end| text.get(end..)).map(str::trim_start);
        if behind.is_some_and(|behind| behind.starts_with([',', ')'])) { kind } else { Self::Unknown }
    }

    /// Returns true if a parameter of this kind never accepts such an argument.
    fn refuses(self, argument: Self) -> bool {
        match self {
            Self::Number => !matches!(argument, Self::Number | Self::Unknown),
            Self::Text => !matches!(argument, Self::Text | Self::Reference | Self::Unknown),
            Self::Slice => !matches!(argument, Self::Reference | Self::Unknown),
            _ => false,
        }
    }
}

/// Returns the end of the operand at the start of a text: brackets with their contents, and characters that `belongs`
/// accepts.
fn end_of_operand(text: &str, belongs: impl Fn(char) -> bool) -> Option<usize> {
    let mut depth = 0_u32;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        match c {
            // A lifetime is not a literal, since it has no closing quote.
            '"' | '\'' => {
                at += end_of_literal(&text[at..])?;
                continue;
            }
            '(' | '[' | '{' => depth += 1,
            _ if depth == 0 && !belongs(c) => return Some(at),
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += c.len_utf8();
    }
    None
}

/// Returns the end of the string or character literal at the start of a text, after its unescaped closing quote.
fn end_of_literal(text: &str) -> Option<usize> {
    let quote = text.chars().next()?;
    let mut escaped = false;
    let end = text.char_indices().skip(1).find(|(_, c)| {
        let ends = *c == quote && !escaped;
        escaped = *c == '\\' && !escaped;
        ends
    });
    end.map(|(at, _)| at + 1)
}

/// Returns the parameters between the parentheses at the start of a text.
fn parameters_at(text: &str) -> Option<Vec<&str>> {
    let inside = text.strip_prefix('(')?;
    let (mut depth, mut start, mut parameters) = (0_u32, 0, Vec::new());
    for (at, c) in inside.char_indices() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            '>' if inside[..at].ends_with(['-', '=']) => {}
            ')' if depth == 0 => {
                parameters.push(&inside[start..at]);
                parameters.retain(|it| !it.trim().is_empty());
                return Some(parameters);
            }
            ')' | ']' | '}' | '>' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                parameters.push(&inside[start..at]);
                start = at + 1;
            }
            '"' => return None,
            _ => {}
        }
    }
    None
}

/// Returns the end of the type parameters or arguments at the start of a text.
fn end_of_types(text: &str) -> Option<usize> {
    let mut depth = 0_u32;
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if !text[..at].ends_with(['-', '=']) => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// Returns the number of arguments between the parentheses at the start of a text. `None` if there are no
/// parentheses, or if brackets and strings do not suffice to separate the arguments: closures and type arguments have
/// commas of their own.
fn count_arguments(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('(')?;
    let (mut depth, mut count, mut is_empty) = (0_u32, 0, true);
    let mut chars = inside.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' if depth == 0 => return Some(count + usize::from(!is_empty)),
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                count += 1;
                is_empty = true;
                continue;
            }
            '"' if inside[..at].ends_with(['r', '#']) => return None,
            '"' => {
                let end = at + end_of_literal(&inside[at..])?;
                chars.by_ref().find(|(next, _)| next + 1 == end)?;
            }
            '|' | '<' if depth == 0 => return None,
            // A character or a lifetime, raw strings, comments, and repetitions in a macro.
            '\'' | '#' | '/' | '$' => return None,
            _ => {}
        }
        is_empty &= c.is_whitespace();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_counted_where_commas_tell() {
        let count = count_arguments;
        assert_eq!(count("() + 1"), Some(0));
        assert_eq!(count("(a, &b.c(d, e))"), Some(2));
        assert_eq!(count("(\n    a,\n    b,\n)"), Some(2));
        assert_eq!(count("(\"a, \\\" b)\", [1, 2])"), Some(2));
        assert_eq!(count("(|a, b| a + b)"), None);
        assert_eq!(count("(f::<A, B>())"), None);
        assert_eq!(count("(',', ')')"), None);
        assert_eq!(count("(r\"\\\", b)"), None);
        assert_eq!(count("(a, b"), None);
        assert_eq!(count(", a)"), None);
    }

    #[test]
    fn what_a_macro_is_given_is_told_by_brackets() {
        let is_given = |text: &str| is_in_macro(text, text.find("name").unwrap_or_default());
        assert!(is_given("criterion_group!(benches, name);") && is_given("x! {\n    a, b[0], name,\n}"));
        assert!(is_given("run!(list.map(name), [1])"));
        assert!(!is_given("println!(\"{}\", name)"));
        assert!(!is_given("f(a, name)") && !is_given("vec![1]; f(name)") && !is_given("x!(a); { f(name) }"));
    }

    #[test]
    fn names_in_comments_strings_and_imports_are_no_uses() {
        let is_told =
            |line: &str| !matches!(Around::of(line, line.find("name").unwrap_or_default()), Around::Code);
        assert!(is_told("x; // a.name()") && is_told("    # name(1)") && is_told(" * a.name()"));
        assert!(is_told("from .name import f") && is_told("use a::name;"));
        assert!(is_told("f(\"a.name()\")") && is_told("`a.name`"));
        assert!(!is_told("a.name()") && !is_told("f(\"x\", a.name())"));
    }

    #[test]
    fn parameters_are_those_of_the_signature() {
        let takes = |signature: &str| Parameters::of("f", signature).map(|it| (it.count, it.has_self));
        assert_eq!(takes("pub fn f(&mut self, a: u32) -> u32"), Some((1, true)));
        assert_eq!(takes("fn f(mut self)"), Some((0, true)));
        assert_eq!(takes("fn f<T>(a: T, (b, c): (u8, u8))"), Some((2, false)));
        assert_eq!(takes("fn f<F: Fn(u8) -> u8>(a: F, b: impl Fn(u8, u8) -> u8)"), Some((2, false)));
        assert_eq!(takes("fn f(a: BTreeMap<u8, u8>,)"), Some((1, false)));
        assert_eq!(takes("struct f(u8)"), None);
    }

    #[test]
    fn arguments_are_refused_by_their_number_and_by_how_the_first_begins() {
        let takes = |signature: &str, text: &str, is_on_value: bool| {
            Parameters::of("f", signature).expect("it is a function").take(text, is_on_value)
        };
        let of_number = "fn f(self, line: u32) -> bool";
        assert!(takes(of_number, "(line)", true) && takes(of_number, "(*line)", true));
        assert!(takes(of_number, "(&range, line)", false) && takes(of_number, ", other)", true));
        for other in [
            "(&line)",
            "(&self.lines.first())",
            "(&\"a)\".len())",
            "(&format!(\"{a}\"))",
            "(['[', '('])",
            "(\"a \\\" b\")",
            "([1, 2])",
            "(\"line\")",
            "(|line| line > 1)",
            "(a, b)",
            "(\n    &line,\n)",
        ] {
            assert!(!takes(of_number, other, true), "{other}");
        }
        let of_text = "fn f<'t>(text: &'t str, more: Vec<u8>) -> Self";
        assert!(takes(of_text, "(\"a\", b)", false) && takes(of_text, "(&a, b)", false));
        assert!(
            !takes(of_text, "(1, b)", false)
                && !takes(of_text, "('a', b)", false)
                && !takes(of_text, "(a)", false)
        );
        assert!(
            !takes("fn f(path: &Path)", "(\"a\")", false)
                && takes("fn f<T: Hash>(value: &T)", "(\"a\")", false)
        );
        // An expression that begins with another kind may still have the right one.
        for other in ["(\"ab\".len())", "(&a + 1)", "(&a == &b)", "('a' as u32)", "(\"x\" == y)"] {
            assert!(takes(of_number, other, true), "{other}");
        }
    }
}
