//! Macros that stand beside declarations.
//!
//! The token before the first one has the index `usize::MAX`, which is of no kind.

use super::tokens::{SPECIFIER, SPECIFIERS, TAG, TYPE, TokenKind, Tokens};

impl Tokens<'_> {
    /// Finds macros that the grammar has no place for. O(tokens).
    pub(super) fn macros(&self, blanks: &mut Vec<(usize, usize)>) {
        let mut is_start = true;
        let mut previous = usize::MAX;
        let mut template_end = 0;
        let mut at = 0;
        while at < self.all.len() {
            if at >= template_end && self.text(at) == "template" && self.is(at + 1, b'<') {
                template_end = self.template_parameters(at + 1, blanks);
            }
            let end = self.enum_base(at, previous).or_else(|| self.macro_at(at, previous, is_start));
            if let Some(last) = end {
                blanks.push((self.all[at].start, self.all[last].end));
                at = last + 1;
                continue;
            }
            let keeps_start = is_start && self.is_in(at, SPECIFIER) || self.is_access(at);
            is_start = keeps_start
                || [b';', b'{', b'}', b':'].iter().any(|it| self.is(at, *it)) && !self.is_path(at)
                || self.is(at, b'>') && (at == template_end || self.is_template_end(at));
            previous = at;
            at += 1;
        }
    }

    /// Returns the offsets of the loops whose head a macro expands to: `for (ALL_LIST_ELEMENTS(list, node, item))`. The
    /// grammar wants the semicolons of a head, or the colon of C++.
    pub(super) fn macro_loops(&self) -> impl Iterator<Item = usize> {
        (0..self.all.len()).filter_map(|at| {
            let close = self.all.get(at + 3)?.pair;
            let is_loop = self.text(at) == "for"
                && self.is(at + 1, b'(')
                && self.is_capital(at + 2)
                && self.is(at + 3, b'(')
                && close != usize::MAX
                && close + 1 == self.all[at + 1].pair;
            is_loop.then_some(self.all[at].start)
        })
    }

    /// Finds macros with arguments among the parameters of a template: `template <class T, ENABLE_IF(a < b)>`. Returns the
    /// last token of the parameters, or that at which the search for it ended.
    fn template_parameters(&self, open: usize, blanks: &mut Vec<(usize, usize)>) -> usize {
        let (mut at, mut depth, first) = (open, 0_u32, blanks.len());
        while let Some(token) = self.all.get(at) {
            match token.kind {
                TokenKind::Punctuation(b'<') => depth += 1,
                TokenKind::Punctuation(b'>') => depth -= 1,
                TokenKind::Punctuation(b';' | b'{' | b'}') => break,
                TokenKind::Punctuation(b'(') if token.pair != usize::MAX => {
                    let is_macro = depth == 1
                        && self.is_capital(at - 1)
                        && (self.is(at - 2, b',') || self.is(at - 2, b'<'));
                    let is_first = self.is(at - 2, b'<');
                    if is_macro {
                        let start = if is_first { token.start } else { self.all[at - 2].start };
                        blanks.push((start, self.all[token.pair].end));
                    }
                    at = token.pair;
                }
                _ => {}
            }
            if depth == 0 {
                return at;
            }
            at += 1;
        }
        blanks.truncate(first);
        at
    }

    fn is_access(&self, at: usize) -> bool {
        self.is(at + 1, b':') && matches!(self.text(at), "public" | "private" | "protected")
    }

    fn is_path(&self, at: usize) -> bool {
        self.is(at, b':') && (self.is(at + 1, b':') || at > 0 && self.is(at - 1, b':'))
    }

    /// Returns true for the end of the parameters of a template on one line.
    fn is_template_end(&self, at: usize) -> bool {
        self.all[at].in_template_line && self.is_at_edge(at, true)
    }

    /// Returns the last token of the type of an enumeration without a name, which the grammar does not read: `enum : int {`.
    fn enum_base(&self, at: usize, previous: usize) -> Option<usize> {
        let is_base = self.is(at, b':') && previous != usize::MAX && self.text(previous) == "enum";
        (at..at + MAX_MACROS).find(|it| self.is(it + 1, b'{')).filter(|_| is_base)
    }

    /// Returns the last token of a macro that starts at a token, or of another word that the grammar has no place for.
    fn macro_at(&self, at: usize, previous: usize, is_start: bool) -> Option<usize> {
        if !self.is_word(at) {
            return None;
        }
        let (before, word, after) = (self.text(previous), self.text(at), at + 1);
        let has_arguments = self.is(after, b'(');
        let is_macro = match before {
            _ if word == "extern" => self.text(after) == "template",
            "}" if word.starts_with("__") => return self.attribute_at(at),
            // `operator const Type &()`
            "operator" => word == "const",
            // `unsigned(a)`
            _ if previous != usize::MAX && self.is_cast(at) => !self.is_word(previous) || before == "return",
            // `if CONSTEXPR (`
            "if" if self.is_capital(at) => has_arguments,
            _ if has_arguments => return self.call_at(at, previous, is_start),
            // `class API Name {`
            _ if self.is_in(previous, TAG) && self.is_capital(at) => self.is_name(after),
            _ if is_start => self.is_before_declaration(at, previous),
            _ => self.is_in_declaration(at, previous),
        };
        is_macro.then_some(at)
    }

    /// Returns the last token of an attribute of a type: `} __packed;`, `} __aligned(8);`. Names with two underscores are
    /// reserved.
    fn attribute_at(&self, at: usize) -> Option<usize> {
        let last = if self.is(at + 1, b'(') { self.all[at + 1].pair } else { at };
        let is_attribute = last != usize::MAX
            && (self.is(last + 1, b';') || self.is_word(last + 1) && self.text(last + 1).starts_with("__"));
        is_attribute.then_some(last)
    }

    /// Returns true for a type that converts what is in the parentheses after it.
    fn is_cast(&self, at: usize) -> bool {
        let is_type = matches!(self.text(at), "unsigned" | "signed" | "long" | "short");
        is_type && self.is(at + 1, b'(') && !self.is(at + 2, b'*')
    }

    /// Returns true for a macro without arguments where a declaration may start.
    fn is_before_declaration(&self, at: usize, previous: usize) -> bool {
        let after = at + 1;
        let is_capital = self.is_capital(at);
        // `local int f(`, `API unsigned x`, `API static int f(`
        let is_before_type = || self.is_in(after, TYPE) || SPECIFIERS[..3].contains(&self.text(after));
        // `EXPORT template <class T>`, `CONSTEXPR Name(`, `CONSTEXPR ~Name(`
        is_capital
            && (self.is_alone_on_line(at, previous)
                || self.starts_declaration(after)
                || self.is_after_body(at, previous))
            || self.is_name(at) && (is_before_type() || self.is_before_named_type(at, is_capital))
    }

    /// Returns true for a macro on a line of its own: `BEGIN_NAMESPACE`.
    fn is_alone_on_line(&self, at: usize, previous: usize) -> bool {
        let after = at + 1;
        self.is_at_edge(at, false)
            && self.is_at_edge(at, true)
            && (self.is_word(after) || self.is_last_field(at))
            && !self.is_in(previous, SPECIFIER)
            && (self.in_type(at) || !self.is_function_name(after))
    }

    /// Returns true for a macro between the body of a type and a name: `struct a { int b; } FAR c;`.
    fn is_after_body(&self, at: usize, previous: usize) -> bool {
        self.is(previous, b'}')
            && self.is_name(at + 1)
            && self.is(at + 2, b';')
            && !self.source[self.all[previous].end..self.all[at].start].contains('\n')
    }

    /// Returns true for a name before the name of a type, perhaps with specifiers between: `local block_state deflate(`.
    fn is_before_named_type(&self, at: usize, is_capital: bool) -> bool {
        let after = at + 1;
        let skipped = (after..).take_while(|it| self.is_in(*it, SPECIFIER)).count();
        let ty = after + skipped;
        // `gzFile ZEXPORT open(`, `Bytef FAR *p`: the second name is the macro.
        if skipped == 0 && self.is_capital(ty) && (!is_capital || self.is_function_name(ty + 1)) {
            return false;
        }
        let is_typed = self.is_name(ty) || skipped > 0 && self.is_in(ty, TYPE);
        let declares = self.is_name(ty + 1) && !self.is_capital(ty + 1)
            || self.is(ty + 1, b'*')
            || is_capital && (self.is(ty + 1, b'&') || self.is(ty + 1, b'<') || self.is_double_colon(ty + 1));
        let is_certain = skipped == 0
            || !self.is(ty + 1, b'=') && (is_capital || self.is_in(ty, TYPE) || self.is_name(ty + 1));
        is_typed && declares && is_certain
    }

    /// Returns true for a macro without arguments within a declaration.
    fn is_in_declaration(&self, at: usize, previous: usize) -> bool {
        self.is_capital(at) && (self.is_after_parameter(at, previous) || self.is_before_name(at, previous))
            || self.is_name(at) && self.is_before_parameter(at, previous)
    }

    /// Returns true for a macro after a parameter: `int a UNUSED)`.
    fn is_after_parameter(&self, at: usize, previous: usize) -> bool {
        let is_last = self.is(at + 1, b')') || self.is(at + 1, b',');
        let is_typed = |before: usize| {
            ["*", "&", ">"].contains(&self.text(before))
                || self.is_word(before) && !self.is_in(before, SPECIFIER | TAG)
        };
        is_last && self.is_name(previous) && previous.checked_sub(1).is_some_and(is_typed)
    }

    /// Returns true for a macro before the type of a parameter: `(z_const Bytef *source`.
    fn is_before_parameter(&self, at: usize, previous: usize) -> bool {
        let ty = at + 1;
        (self.is(previous, b'(') || self.is(previous, b','))
            && (self.is_name(ty) && !self.is_capital(ty) || self.is_in(ty, TYPE))
            && (self.is(ty + 1, b'*') || self.is_name(ty + 1))
    }

    /// Returns true for a macro before a declared name: `int API f(`, `void * API f(`, `char FAR *p`, `(API *f)(`.
    fn is_before_name(&self, at: usize, previous: usize) -> bool {
        let after = at + 1;
        let is_typed = self.is_in(previous, TYPE) || self.is_name(previous);
        if self.is(after, b'*') {
            let is_in_parentheses = self.is(previous, b'(')
                && self.is_name(after + 1)
                && self.is(after + 2, b')')
                && self.is(after + 3, b'(');
            return is_typed || is_in_parentheses;
        }
        (is_typed || self.is(previous, b'*'))
            && self.is_name(after)
            && (self.is(after + 1, b'(') || self.is(after + 1, b'['))
    }

    /// Returns true for a token that starts a declaration after a macro, perhaps behind others: `template`, `static`, the
    /// name of a constructor or destructor.
    fn starts_declaration(&self, at: usize) -> bool {
        let macros = (at..at + MAX_MACROS).take_while(|it| self.is_capital(*it)).count();
        let start = at + macros;
        let text = self.text(start);
        matches!(text, "template" | "using" | "namespace")
            || self.is_in(start, SPECIFIER) && !matches!(text, "const" | "volatile")
            || self.is_in(start, TYPE) && macros > 0
            || self.is_constructor(start)
            || self.is(start, b'~') && self.in_type(start)
    }

    /// Returns true for the name of a function before its parameters.
    fn is_function_name(&self, at: usize) -> bool {
        self.is_name(at) && !self.is_capital(at) && self.is(at + 1, b'(')
    }

    /// Returns true for the last of the members of a struct.
    fn is_last_field(&self, at: usize) -> bool {
        self.all[at].owner.is_some_and(|it| !it.is_enum) && self.is(at + 1, b'}')
    }

    fn is_double_colon(&self, at: usize) -> bool {
        self.is(at, b':') && self.is(at + 1, b':')
    }

    /// Returns the last token of a macro with arguments that is no call: `ATTRIBUTE(x) int f(`, `int x GUARDED_BY(y);`.
    fn call_at(&self, at: usize, previous: usize, is_start: bool) -> Option<usize> {
        let close = self.all[at + 1].pair;
        if close == usize::MAX || !self.is_capital(at) {
            return None;
        }
        let after = close + 1;
        let has_own_lines = || self.is_at_edge(at, false) && self.is_at_edge(close, true);
        let is_macro = if self.is_in(previous, TAG) {
            // `class VISIBILITY("default") Name`
            self.is_name(after)
        } else if self.in_type(at) && (is_start || self.is(previous, b',')) && has_own_lines() {
            // Members that a macro lists.
            self.is_word(after) || self.is(after, b'}')
        } else if is_start {
            let start = self.all[at].start;
            let is_alone = || {
                has_own_lines() && self.is_word(after) && (start == 0 || self.source[..start].ends_with('\n'))
            };
            self.starts_typed(after) || is_alone()
        } else {
            let ends = [b';', b'{', b'='].iter().any(|it| self.is(after, *it));
            let is_after_name = self.is_name(previous) || matches!(self.text(previous), "const" | "override");
            ends && (self.ends_parameters(previous) || is_after_name && !self.is(after, b'='))
        };
        is_macro.then_some(close)
    }

    /// Returns true for a token that starts a declaration with a type.
    fn starts_typed(&self, at: usize) -> bool {
        self.is_in(at, TYPE | SPECIFIER)
            || self.is_name(at)
                && (self.is_name(at + 1) || self.is(at + 1, b'*') || self.is_double_colon(at + 1))
    }

    /// Returns true for the end of the parameters of a function.
    fn ends_parameters(&self, at: usize) -> bool {
        let is_function = |name: usize| self.is_name(name) && !self.is_capital(name);
        self.is(at, b')') && self.all[at].pair.checked_sub(1).is_some_and(is_function)
    }
}

/// Maximum number of macros before a declaration.
const MAX_MACROS: usize = 4;
