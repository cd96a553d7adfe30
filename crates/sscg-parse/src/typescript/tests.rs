use crate::FileType;
use crate::check::check;

const TEXT: &str = "import { a as b } from './a';\n/** Ü. */\n\
                    @dec export class C<T> extends b.B {\n  #x = `é ${1}`;\n\
                    \x20\x20m(p: T[] = []): void { if (p) { this.#x += 'ß'; } }\n}\n\
                    export const { c, d } = f(<T>{ k() {} }), e = /x/;\n";

/// Covers the states of a file in an editor while someone types.
#[test]
fn any_prefix_of_a_file_can_be_read() {
    for extension in ["ts", "tsx", "js", "d.ts"] {
        let file_type = FileType::of_path(&format!("a.{extension}")).expect("a known extension");
        for (at, _) in TEXT.char_indices() {
            for text in [&TEXT[..at], &TEXT[at..]] {
                let (_, violations) = check(file_type, text);
                assert_eq!(violations, [], "{extension}: {text}");
            }
        }
    }
}
