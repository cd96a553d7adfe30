//! Types in the signature of a function, as written.
//!
//! Facts have only the types that linking needs. The others are read from the signature when an answer shows it, so they
//! take no space in the store and no time of the index.

use std::iter;

/// Types in the signature of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SignatureTypes<'s> {
    /// Parameters with a written type, in order. A receiver has none.
    pub parameters: Vec<TypedParameter<'s>>,
    /// Return type; empty if none is written. For several results, the list in its parentheses.
    pub result: &'s str,
}

/// Parameter of a function with its type, as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TypedParameter<'s> {
    /// Name; empty if the parameter has none, or is a pattern.
    pub name: &'s str,
    /// Type.
    pub ty: &'s str,
}

impl<'s> SignatureTypes<'s> {
    /// Returns the names in a type: of `Map<string, models.User>` the names `Map`, `string` and `User`. Of a path, only
    /// the last segment is returned.
    pub fn names(ty: &'s str) -> impl Iterator<Item = &'s str> {
        words(ty).filter_map(|(start, word)| {
            let after = ty[start + word.len()..].trim_start();
            let is_qualifier =
                after.starts_with("::") || (after.starts_with('.') && !after.starts_with(".."));
            let is_name = !word.starts_with(|c: char| c.is_ascii_digit());
            (is_name && !is_qualifier).then_some(word)
        })
    }
}

/// Syntax of the signatures of a language.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SignatureSyntax {
    /// Order of names and types.
    pub(crate) order: Order,
    /// Delimiters of strings.
    pub(crate) quotes: &'static [u8],
}

/// Order of the name and the type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// `name: Type`, and `-> Type` or `: Type` after the parameters.
    NameColonType,
    /// `name Type`, `a, b Type` or only types, and the results after the parameters.
    NameType,
    /// `Type name`, and the result before the function's name.
    TypeName,
}

impl SignatureSyntax {
    /// Reads the signature of the function `name`. O(length).
    pub(crate) fn types<'s>(self, name: &str, signature: &'s str) -> SignatureTypes<'s> {
        let named = words(signature).find(|(start, word)| {
            let after = signature[start + word.len()..].trim_start();
            *word == name && after.starts_with(['(', '<', '[', '=', ':', '?'])
        });
        let (head, from) = named.map_or((0, 0), |(start, word)| (start, start + word.len()));
        let opening = self.levels(&signature[from..]).find(|(_, byte, depth)| *byte == b'(' && *depth == 0);
        let Some((open, ..)) = opening else { return SignatureTypes::default() };
        let open = from + open;
        let Some(close) = self.close(&signature[open..]).map(|close| open + close) else {
            return SignatureTypes::default();
        };
        let list = &signature[open + 1..close];
        let after = signature[close + 1..].trim();
        let parameters = match self.order {
            Order::NameType => self.grouped(list),
            _ => self.split(list).filter_map(|parameter| self.parameter(parameter)).collect(),
        };
        let result = match self.order {
            Order::NameColonType => self.result_after(after),
            Order::NameType => after,
            // C++ may have the result after the parameters.
            Order::TypeName => match after.strip_prefix("->") {
                Some(result) => result.trim(),
                None => self.result_before(&signature[..head]),
            },
        };
        SignatureTypes { parameters, result }
    }

    /// Returns the return type in the text after the parameters: `-> T where T: Read`, `: T =>`.
    fn result_after(self, after: &str) -> &str {
        let Some(ty) = after.strip_prefix("->").or_else(|| after.strip_prefix(':')) else { return "" };
        let ty = ty.trim_end_matches([':', ' ']).trim_end_matches("=>");
        let clause = words(ty).find(|(_, word)| *word == "where");
        clause.map_or(ty, |(start, _)| &ty[..start]).trim()
    }

    /// Returns the return type in the text before the name: `public static <T> List<T> `.
    fn result_before(self, before: &str) -> &str {
        let ty = without_modifiers(self, before.trim());
        // The name of a member defined outside of its type is qualified.
        match ty.strip_suffix("::") {
            Some(qualified) => qualified.rfind(' ').map_or("", |space| qualified[..space].trim_end()),
            None => ty.trim_end_matches(['~', '.']).trim_end(),
        }
    }

    /// Reads `name: Type = default` or `Type name = default`.
    fn parameter<'s>(self, text: &'s str) -> Option<TypedParameter<'s>> {
        let default = self.levels(text).find(|(at, byte, depth)| {
            let around = |at: usize| text.as_bytes().get(at).copied().unwrap_or_default();
            let is_part = b"=<>!".contains(&around(at.wrapping_sub(1))) || b"=>".contains(&around(at + 1));
            *byte == b'=' && *depth == 0 && !is_part
        });
        let text = default.map_or(text, |(at, ..)| &text[..at]).trim();
        let (name, ty) = match self.order {
            Order::NameColonType => {
                let bytes = text.as_bytes();
                let is_colon = |at: usize| bytes.get(at) == Some(&b':');
                let colon = self.levels(text).find(|(at, byte, depth)| {
                    *byte == b':' && *depth == 0 && !is_colon(at + 1) && !is_colon(at.wrapping_sub(1))
                })?;
                let (name, ty) =
                    (text[..colon.0].trim_end_matches(['?', '!', ' ']), text[colon.0 + 1..].trim());
                let is_pattern = name.ends_with(['}', ']', ')']);
                (if is_pattern { "" } else { words(name).last().map_or("", |(_, word)| word) }, ty)
            }
            _ => declared(without_modifiers(self, text)),
        };
        (!ty.is_empty() && ty != "void" && ty != "...").then_some(TypedParameter { name, ty })
    }

    /// Reads a list where the parameters `a, b` of `a, b Type` share a type, and either all or none have a name.
    fn grouped<'s>(self, list: &'s str) -> Vec<TypedParameter<'s>> {
        let parts: Vec<(&str, &str)> = self.split(list).map(|part| name_and_type(part.trim())).collect();
        if parts.iter().all(|(name, _)| name.is_empty()) {
            return parts.into_iter().map(|(_, ty)| TypedParameter { name: "", ty }).collect();
        }
        let mut shared = "";
        let typed = parts.into_iter().rev().map(|(name, ty)| {
            if name.is_empty() {
                return TypedParameter { name: ty, ty: shared };
            }
            shared = ty;
            TypedParameter { name, ty }
        });
        let mut typed: Vec<_> = typed.filter(|it| !it.ty.is_empty()).collect();
        typed.reverse();
        typed
    }

    /// Splits a list at its commas outside of brackets, without empty parts.
    fn split(self, list: &str) -> impl Iterator<Item = &str> {
        let commas = self.levels(list).filter(|(_, byte, depth)| *byte == b',' && *depth == 0).map(|it| it.0);
        let mut start = 0;
        let parts = commas.chain(iter::once(list.len())).map(move |end| {
            let part = &list[start..end];
            start = end + 1;
            part.trim()
        });
        parts.filter(|part| !part.is_empty())
    }

    /// Returns the offset of the bracket that closes the one at the start of a text.
    fn close(self, text: &str) -> Option<usize> {
        let mut closing = self.levels(text).skip(1).filter(|(_, byte, _)| b")]}>".contains(byte));
        closing.find(|(.., depth)| *depth == 0).map(|(at, ..)| at)
    }

    /// Returns the bytes of a text outside of strings, each with the number of brackets around it; brackets do not count
    /// as inside of themselves.
    fn levels(self, text: &str) -> impl Iterator<Item = (usize, u8, u32)> {
        let bytes = text.as_bytes();
        let (mut depth, mut quote) = (0_u32, None);
        bytes.iter().enumerate().filter_map(move |(at, &byte)| {
            let (before, after) = (at.checked_sub(1).map(|at| bytes[at]), bytes.get(at + 1));
            if let Some(delimiter) = quote {
                if byte == delimiter && before != Some(b'\\') {
                    quote = None;
                }
                return None;
            }
            if self.quotes.contains(&byte) {
                quote = Some(byte);
                return None;
            }
            let has_angles = self.order != Order::NameType;
            let opens = match byte {
                b'(' | b'[' | b'{' => true,
                // Not `a < b`, `<=`, `<<`.
                b'<' => has_angles && after.is_some_and(|after| !b" =<".contains(after)),
                _ => false,
            };
            let closes = match byte {
                b')' | b']' | b'}' => true,
                // Not `->`, `=>`, `a > b`.
                b'>' => has_angles && depth > 0 && !before.is_some_and(|before| b"-= ".contains(&before)),
                _ => false,
            };
            if closes {
                depth = depth.saturating_sub(1);
            }
            let level = depth;
            depth += u32::from(opens);
            Some((at, byte, level))
        })
    }
}

/// Words before a type that are not part of it.
const MODIFIERS: &[&str] = &[
    "abstract",
    "async",
    "constexpr",
    "default",
    "explicit",
    "export",
    "extern",
    "final",
    "friend",
    "in",
    "inline",
    "internal",
    "native",
    "new",
    "out",
    "override",
    "params",
    "partial",
    "private",
    "protected",
    "public",
    "readonly",
    "ref",
    "scoped",
    "sealed",
    "static",
    "synchronized",
    "this",
    "unsafe",
    "virtual",
];

/// Returns a type without the annotations, modifiers and type parameters before it.
fn without_modifiers(syntax: SignatureSyntax, mut text: &str) -> &str {
    loop {
        let word_end = text.find(|c: char| !is_word(c)).unwrap_or(text.len());
        let word = &text[..word_end];
        let rest = match text.as_bytes().first() {
            Some(b'@') => {
                let name =
                    text[1..].find(|c: char| !is_word(c) && c != '.').map_or(text.len(), |end| end + 1);
                let arguments = text[name..].starts_with('(').then(|| syntax.close(&text[name..])).flatten();
                &text[arguments.map_or(name, |close| name + close + 1)..]
            }
            Some(b'[' | b'<') => match syntax.close(text) {
                Some(close) => &text[close + 1..],
                None => return text,
            },
            _ if word == "template" => &text[word_end..],
            _ if MODIFIERS.contains(&word)
                && [None, Some(b' ')].contains(&text.as_bytes().get(word_end).copied()) =>
            {
                &text[word_end..]
            }
            _ => return text,
        };
        text = rest.trim_start();
    }
}

/// Types of C that are several words, or that have no name after them.
const BASIC: &[&str] =
    &["bool", "char", "double", "float", "int", "long", "short", "signed", "unsigned", "void"];

/// Splits `Type name`, where the name may be missing.
fn declared(text: &str) -> (&str, &str) {
    // A pointer to a function, or an array, has its name inside of the type.
    let mut base = text;
    while let Some(array) = base.strip_suffix(']').and_then(|inside| inside.rfind('[')) {
        base = base[..array].trim_end();
    }
    let Some((start, name)) = words(base).last().filter(|(start, word)| start + word.len() == base.len())
    else {
        return ("", text);
    };
    let ty = base[..start].trim_end();
    let is_type =
        BASIC.contains(&name) || ty.is_empty() || ty.ends_with("::") || text[base.len()..].contains('>');
    if is_type { ("", text) } else { (name, ty) }
}

/// Splits `name Type`; a part with one of them counts as a type.
fn name_and_type(text: &str) -> (&str, &str) {
    match text.split_once(' ') {
        Some((name, ty))
            if name.chars().all(is_word)
                && !["chan", "func", "interface", "map", "struct"].contains(&name) =>
        {
            (name, ty.trim_start())
        }
        _ => ("", text),
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Returns the words of a text with their offsets.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = 0;
    iter::from_fn(move || {
        let start = rest + text[rest..].find(is_word)?;
        let end = text[start..].find(|c| !is_word(c)).map_or(text.len(), |end| start + end);
        rest = end;
        Some((start, &text[start..end]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(order: Order, quotes: &'static [u8], name: &str, signature: &str) -> String {
        let SignatureTypes { parameters, result } = SignatureSyntax { order, quotes }.types(name, signature);
        let mut parts: Vec<String> = parameters.iter().map(|it| format!("{}={}", it.name, it.ty)).collect();
        parts.push(format!("-> {result}"));
        parts.join(" | ")
    }

    #[test]
    fn types_after_a_colon() {
        let rust = |name, signature| read(Order::NameColonType, b"\"", name, signature);
        assert_eq!(
            rust(
                "send",
                "pub fn send<T, F: Fn(u8) -> u16>(&mut self, mut a: &'a str, b: Vec<(T, F)>) -> Result<(), E> where T: Send"
            ),
            "a=&'a str | b=Vec<(T, F)> | -> Result<(), E>"
        );
        assert_eq!(
            rust("run", "fn run(f: impl Fn(&str, u8) -> bool, (x, y): (A, B))"),
            "f=impl Fn(&str, u8) -> bool | =(A, B) | -> "
        );
        assert_eq!(
            rust("at", "fn at(self: Pin<&mut Self>, at: crate::io::Place) -> [u8; 4]"),
            "self=Pin<&mut Self> | at=crate::io::Place | -> [u8; 4]"
        );
        let python = |name, signature| read(Order::NameColonType, b"\"'", name, signature);
        assert_eq!(
            python(
                "f",
                "async def f[T: int](self, a, b: list[T] = [1, 2], *args: str, sep: str = ', ', x: 'User | None' = None) -> dict[str, T]:"
            ),
            "b=list[T] | args=str | sep=str | x='User | None' | -> dict[str, T]"
        );
        let es = |name, signature| read(Order::NameColonType, b"\"'`", name, signature);
        assert_eq!(
            es(
                "f",
                "export function f<T = () => void>({ a, b }: Props, cb?: (x: A) => B, ...rest: T[]): Promise<Map<string, User>>"
            ),
            "=Props | cb=(x: A) => B | rest=T[] | -> Promise<Map<string, User>>"
        );
        assert_eq!(
            es("g", "export const g = async (a: A = x > 1 ? p : q, b = 2): Promise<B> =>"),
            "a=A | -> Promise<B>"
        );
        assert_eq!(
            es("constructor", "constructor(private readonly store: Store<A>)"),
            "store=Store<A> | -> "
        );
        assert_eq!(es("is", "is(x: unknown): x is User"), "x=unknown | -> x is User");
    }

    #[test]
    fn types_after_a_space() {
        let go = |name, signature| read(Order::NameType, b"\"'`", name, signature);
        assert_eq!(
            go("Push", "func (s *Stack[T]) Push(a, b int, done <-chan error, more ...T) (n int, err error)"),
            "a=int | b=int | done=<-chan error | more=...T | -> (n int, err error)"
        );
        assert_eq!(
            go("Run", "Run(map[string]int, func(int) error) *Shape"),
            "=map[string]int | =func(int) error | -> *Shape"
        );
        assert_eq!(go("open", "func open("), "-> ");
    }

    #[test]
    fn types_before_the_name() {
        let c = |name, signature| read(Order::TypeName, b"\"'", name, signature);
        assert_eq!(c("main", "int main(int argc, char **argv)"), "argc=int | argv=char ** | -> int");
        assert_eq!(
            c("log", "__attribute__((format(printf, 2, 3))) void log(list *l, const char *fmt, ...)"),
            "l=list * | fmt=const char * | -> __attribute__((format(printf, 2, 3))) void"
        );
        assert_eq!(c("f", "static unsigned f(void)"), "-> unsigned");
        assert_eq!(
            c("area", "double Shape::area(const Shape& other, int a[10], bool) const"),
            "other=const Shape& | a=int | =bool | -> double"
        );
        assert_eq!(
            c("as", "template <typename U> std::vector<U> as(void (*cb)(int)) const"),
            "=void (*cb)(int) | -> std::vector<U>"
        );
        assert_eq!(
            c(
                "first",
                "@Nullable static <R extends Shapes<?, ? super R>> R first(@Valid(\"a\") final List<? extends R> all, Map<K, V> b, int... factors) throws IOException"
            ),
            "all=List<? extends R> | b=Map<K, V> | factors=int... | -> R"
        );
        assert_eq!(
            c("Order", "public Order(IOrderStore<Order> store, int id = 0) : base(id)"),
            "store=IOrderStore<Order> | id=int | -> "
        );
        assert_eq!(
            c("Save", "[Obsolete] public async Task<T?> Save([FromBody] T order, params string[] tags)"),
            "order=T | tags=string[] | -> Task<T?>"
        );
    }

    #[test]
    fn names_in_a_type() {
        let names = |ty| SignatureTypes::names(ty).collect::<Vec<_>>();
        assert_eq!(names("Map<string, models.User>"), ["Map", "string", "User"]);
        assert_eq!(names("Option<&'a mut crate::io::Place>"), ["Option", "a", "mut", "Place"]);
        assert_eq!(names("'User | None'"), ["User", "None"]);
        assert_eq!(names("int..."), ["int"]);
    }

    #[test]
    fn any_text_is_read() {
        for signature in [
            "",
            "(",
            ")",
            "f(",
            "f)",
            "f(<",
            "f(a: <>>>)",
            "f('",
            "é(à: é)",
            "f(=",
            "f(,,)",
            "f(@",
            "f([",
            "x f(@a.b(c, [d e)",
        ] {
            for order in [Order::NameColonType, Order::NameType, Order::TypeName] {
                read(order, b"\"'", "f", signature);
            }
        }
    }
}
