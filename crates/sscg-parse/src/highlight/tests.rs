use expect_test::{Expect, expect};

use crate::{FileType, Highlight, formats, languages};

/// Renders each token with the initial of its class before it: `k<fn> f<go>()`.
fn check(path: &str, source: &str, expected: Expect) {
    let file_type = FileType::of_path(path).expect("a known extension");
    let (mut out, mut at) = (String::new(), 0);
    for (span, class) in file_type.highlights(source) {
        let letter = format!("{class:?}").to_lowercase().remove(0);
        out += &format!("{}{letter}<{}>", &source[at..span.start as usize], span.text(source));
        at = span.end as usize;
    }
    expected.assert_eq(&(out + &source[at..]));
}

#[test]
fn the_pieces_of_code_are_told_apart() {
    check(
        "a.rs",
        "/// Doc.\n#[inline]\npub fn go<'a>(x: &'a Kind) -> u8 {\n    x.run(\"a\\n\", 17); vec![true]\n}\n",
        expect![[r#"
            c</// Doc.
            >a<#>[a<inline>]
            k<pub> k<fn> f<go><'a<a>>(x: &'a<a> t<Kind>) -> t<u8> {
                x.f<run>(s<"a\n">, c<17>); f<vec!>[c<true>]
            }
        "#]],
    );
    check(
        "a.py",
        "@cache\nclass Shop(Base):\n    # open\n    def sell(self, n=1):\n        return f\"{n} of {self.name}\" + MAX\n",
        expect![[r#"
            f<@cache>
            k<class> t<Shop>(t<Base>):
                c<# open>
                k<def> f<sell>(self, n=c<1>):
                    k<return> s<f">{n}s< of >{self.p<name>}s<"> + c<MAX>
        "#]],
    );
    check(
        "a.ts",
        "export interface Point { x: number }\nfunction at<T>(p: Point): T { return new Map(p.x, 'a') as T }\n",
        expect![[r#"
            k<export> k<interface> t<Point> { p<x>: t<number> }
            k<function> f<at><t<T>>(p: t<Point>): t<T> { k<return> k<new> t<Map>(p.p<x>, s<'a'>) k<as> t<T> }
        "#]],
    );
    check(
        "a.tsx",
        "const App = (p: Props) => <div id=\"a\">{p.name}</div>;\n",
        expect![[r#"
        k<const> t<App> = (p: t<Props>) => <k<div> a<id>=s<"a">>{p.p<name>}</k<div>>;
    "#]],
    );
    check(
        "a.jsx",
        "async function go() { await this.run(/a/, null) } // run\n",
        expect![[r#"
        k<async> k<function> f<go>() { k<await> this.f<run>(/s<a>/, c<null>) } c<// run>
    "#]],
    );
}

#[test]
fn the_pieces_of_documents_are_told_apart() {
    check(
        "a.json",
        "{\"name\": \"shop\", \"open\": [true, 1.5]}\n",
        expect![[r#"
        {p<"name">: s<"shop">, p<"open">: [c<true>, c<1.5>]}
    "#]],
    );
    check(
        "a.toml",
        "# c\n[shop]\nname = \"a\"\nsize.x = 3\nin = { a = true }\n",
        expect![[r#"
            c<# c>
            [p<shop>]
            p<name> = s<"a">
            p<size>.p<x> = c<3>
            p<in> = { p<a> = c<true> }
        "#]],
    );
    check(
        "a.yaml",
        "# c\nname: shop\nopen: true\nlist:\n  - \"a\"\n",
        expect![[r#"
        c<# c>
        p<name>: s<shop>
        p<open>: c<true>
        p<list>:
          - s<"a">
    "#]],
    );
    check(
        "a.html",
        "<!-- c -->\n<a href=\"b\">text</a>\n",
        expect![[r#"
        c<<!-- c -->>
        <k<a> a<href>="s<b>">text</k<a>>
    "#]],
    );
    check(
        "a.md",
        "# Nothing\n",
        expect![[r#"
        # Nothing
    "#]],
    );
}

#[test]
fn what_does_not_parse_is_told_apart_as_far_as_it_goes() {
    check("a.rs", "fn (( \"é\" 'x }} struct", expect![[r#"k<fn> (( s<"é"> 'x }} k<struct>"#]]);
}

#[test]
fn pieces_are_in_order_and_apart_in_any_cut_of_a_text() {
    let source = "fn é<'a>() { \"ü{}\" } // ö\n{\"ä\": [1]}\n<b c='ï'>`${ë}`\nx: 'é' # ñ\nclass A: def f(): f'{x!r}'\n";
    for language in languages().iter().chain(formats()) {
        for extension in language.extensions {
            for (cut, _) in source.char_indices() {
                for text in [&source[..cut], &source[cut..]] {
                    let mut end = 0;
                    for (span, _) in (FileType { language: *language, extension }).highlights(text) {
                        assert!(end <= span.start && span.start < span.end, "{extension}: {text:?}");
                        assert!(text.get(span.start as usize..span.end as usize).is_some(), "{text:?}");
                        end = span.end;
                    }
                }
            }
        }
    }
}

#[test]
fn nesting_without_end_is_told_apart() {
    let deep = |open: &str| open.repeat(5_000);
    for (path, text) in [("a.rs", deep("m!{")), ("a.py", deep("[")), ("a.tsx", deep("<a>{`${"))] {
        let file_type = FileType::of_path(path).expect("the registry has it");
        let pieces = file_type.highlights(&format!("{text}1"));
        assert!(pieces.iter().all(|(_, class)| *class <= Highlight::Type), "{path}");
    }
}
