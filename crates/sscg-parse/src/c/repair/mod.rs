//! Repair of text that only parses after macro expansion.
//!
//! The parser sees macros as they are written: `ZEXTERN int ZEXPORT inflate(z_streamp strm);`. Macros in places where
//! the grammar allows no name are blanked before parsing, which keeps all offsets.

mod macros;
mod tokens;

use std::borrow::Cow;

use self::tokens::{Tokens, is_word};

/// Blanks macros that stand beside declarations (see the rules at [`Tokens::macros`]), and turns loops whose head is a
/// macro into conditions.
pub(super) fn without_macros(source: &str) -> Cow<'_, str> {
    let mut blanks = linkage_braces(source);
    let tokens = Tokens::of(source, &mut blanks);
    tokens.macros(&mut blanks);
    let loops: Vec<usize> = tokens.macro_loops().collect();
    if blanks.is_empty() && loops.is_empty() {
        return Cow::Borrowed(source);
    }
    let mut text = source.as_bytes().to_vec();
    for start in loops {
        text[start..start + 3].copy_from_slice(b"if ");
    }
    // Conditional blocks nest.
    blanks.sort_unstable();
    let mut done = 0;
    for (start, end) in blanks {
        for byte in &mut text[start.max(done).min(end)..end] {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
        done = end.max(done);
    }
    String::from_utf8(text).map_or(Cow::Borrowed(source), Cow::Owned)
}

/// Returns the lines that open and close `extern "C"` for C++ alone. Each brace is in a conditional block of its own.
fn linkage_braces(source: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    if !source.contains("__cplusplus") {
        return found;
    }
    let (mut at, mut is_inside) = (0, false);
    for line in source.split_inclusive('\n') {
        let text = line.trim();
        if let Some(directive) = text.strip_prefix('#') {
            let directive = directive.trim_start();
            is_inside = directive.starts_with("if") && directive.contains("__cplusplus");
        } else if is_inside
            && (text.starts_with("extern \"C\"") && text.ends_with('{') || text.starts_with('}'))
        {
            found.push((at, at + line.trim_end().len()));
        }
        at += line.len();
    }
    found
}

/// Returns true if a header is C++: it has a class, namespace, template, access specifier or qualified name.
pub(super) fn is_cpp(source: &str) -> bool {
    let mut is_comment = false;
    source.lines().any(|line| {
        let line = line.trim();
        if is_comment || line.starts_with("/*") {
            is_comment = !line.contains("*/");
            return false;
        }
        if line.starts_with("//") || line.starts_with('*') || line.starts_with('#') {
            return false;
        }
        let code = line.split("//").next().unwrap_or(line);
        let is_qualified = || {
            code.match_indices("::").any(|(at, _)| {
                let bytes = code.as_bytes();
                at > 0 && is_word(bytes[at - 1]) && bytes.get(at + 2).is_some_and(|byte| is_word(*byte))
            })
        };
        let starts = ["class ", "namespace ", "template<", "template <", "public:", "private:", "protected:"];
        starts.iter().any(|start| code.starts_with(start)) || code.contains("::") && is_qualified()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(source: &str) -> String {
        without_macros(source).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn macros_beside_declarations_are_blanked() {
        assert_eq!(kept("ZEXTERN int ZEXPORT inflate(z_streamp s);"), "int inflate(z_streamp s);");
        assert_eq!(kept("local block_state deflate(state *s);"), "block_state deflate(state *s);");
        assert_eq!(kept("static redisAtomic size_t n = 0;"), "static size_t n = 0;");
        assert_eq!(kept("gzFile ZEXPORT open(int a);"), "gzFile open(int a);");
        assert_eq!(kept("struct state FAR *state;"), "struct state *state;");
        assert_eq!(kept("local const config table[2] = {"), "const config table[2] = {");
        assert_eq!(kept("struct a { int b; } FAR c;"), "struct a { int b; } c;");
        assert_eq!(kept("x = (z_const Bytef *)y;"), "x = ( Bytef *)y;");
        assert_eq!(
            kept("int a[] = {\n1,\n#ifdef B\n2,\n#else\n3,\n#endif\n4};\n#if C\nint d;\n#endif\n"),
            "int a[] = { 1, 2, 4}; #if C int d; #endif"
        );
        assert_eq!(
            kept("enum { A,\n#if B\nC,\n#else\nD,\n#endif\n};"),
            "enum { A, #if B C, #else D, #endif };"
        );
        assert_eq!(kept("struct a {\n  FIELDS\n};"), "struct a { };");
        assert_eq!(kept("enum a {\n  MAP(XX)\n  LAST\n};"), "enum a { LAST };");
        assert_eq!(kept("enum a {\n  ONLY\n};"), "enum a { ONLY };");
        assert_eq!(kept("class API Name : B {};"), "class Name : B {};");
        assert_eq!(kept("FMT_BEGIN_NAMESPACE\nnamespace detail {}"), "namespace detail {}");
        assert_eq!(kept("int val GUARDED_BY(mu);"), "int val ;");
        assert_eq!(kept("void f(int a) LOCKS_EXCLUDED(mu) { g(); }"), "void f(int a) { g(); }");
        assert_eq!(kept("NO_SANITIZE(\"alignment\")\nint f(void) {}"), "int f(void) {}");
        assert_eq!(kept("API INLINE void a(int b UNUSED) {}"), "void a(int b ) {}");
        assert_eq!(kept("class API(\"x\") a {};"), "class a {};");
        assert_eq!(
            kept("template <class T,\nENABLE_IF(is<T>() && 1 > 0)>\nINLINE auto a(T b) {}"),
            "template <class T > auto a(T b) {}"
        );
        assert_eq!(kept("#if has(<a.h>) || has(\"b.h\")\nint a;\n#endif"), "#if has || has int a; #endif");
        assert_eq!(kept("int a[] = {\n#if B\n1\n#else\n2\n#endif\n};"), "int a[] = { 1 };");
        assert_eq!(kept("if (unsigned(a) < 1) b();"), "if ( (a) < 1) b();");
        assert_eq!(kept("enum : int { A };"), "enum { A };");
        assert_eq!(kept("if CONSTEXPR (a) b();"), "if (a) b();");
        assert_eq!(kept("for (ALL(a, (b), c)) d();"), "if (ALL(a, (b), c)) d();");
        assert_eq!(kept("EXPORT template <class T> class a {"), "template <class T> class a {");
        assert_eq!(
            kept("class a : public B<C> {\nINLINE a(int b);\nINLINE ~a();\nBOOL c(int d);"),
            "class a : public B<C> { a(int b); ~a(); BOOL c(int d);"
        );
        assert_eq!(kept("void *(CDECL *allocate)(size_t n);"), "void *( *allocate)(size_t n);");
        assert_eq!(kept("BOOL WINAPI DllMain(HANDLE h) {}"), "BOOL DllMain(HANDLE h) {}");
        assert_eq!(
            kept("#ifdef __cplusplus\nextern \"C\" {\n#endif\nint f(void);"),
            "#ifdef __cplusplus #endif int f(void);"
        );
    }

    #[test]
    fn other_code_is_kept() {
        let kept_whole = [
            "BYTE const *p;",
            "DWORD x = 1;",
            "if (a) CHECK(b);",
            "Status DB::Open(int a) { return b; }",
            "unsigned LONG;",
            "x = a * b;",
            "return FOO(1);",
            "for (EACH(a); b; c) d();",
            "CHECK(a);",
            "struct FILE *f;",
            "foo (*g)(int);",
            "case A: foo(b); break;",
            "TEST(a, b) { return; }",
            "const BYTE *f(int a);",
            "static BYTE f(void);",
            "DWORD\nfoo(int a)\n{}",
        ];
        for source in kept_whole {
            assert_eq!(without_macros(source), source);
        }
    }

    #[test]
    fn headers_of_cpp_are_found() {
        assert!(is_cpp("namespace a {\n}"));
        assert!(is_cpp("std::string f();"));
        assert!(!is_cpp("/* class a */\n// class b\nint f(void);\n#define A \"::1\"\n"));
    }
}
