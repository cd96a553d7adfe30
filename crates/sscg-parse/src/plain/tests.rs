use crate::FileType;

/// Returns the kind, dotted name and lines of each declaration.
fn outline(path: &str, source: &str) -> Vec<String> {
    let (facts, violations) =
        crate::check::check(FileType::of_path(path).expect("a known extension"), source);
    assert_eq!(violations, [], "{path}");
    let ids = facts.symbols.iter_enumerated();
    ids.map(|(id, it)| {
        format!("{} {} {}-{}", it.kind, facts.qualified_name(id), it.lines.start, it.lines.end)
    })
    .collect()
}

#[test]
fn declarations_end_by_indentation() {
    let kotlin = "package a\n\n// A shape.\n@Serializable\nsealed class Shape(val name: String) {\n    /** Area. */\n    \
                  abstract fun area(): Double\n\n    companion object {\n        fun <T> List<T>.of() = 1\n    }\n}\n\n\
                  private suspend fun run(\n    a: Int,\n) {\n    go()\n}\n";
    let expected =
        ["class Shape 3-12", "method Shape.area 6-7", "method Shape.of 10-10", "function run 14-18"];
    assert_eq!(outline("a.kt", kotlin), expected);
    let ruby = "# A module.\nmodule A\n  class B < C\n    def self.open(x)\n      x\n    end\n\n    def close = 1\n  end\nend\n";
    assert_eq!(
        outline("a.rb", ruby),
        ["module A 1-10", "class A.B 3-9", "method A.B.open 4-6", "method A.B.close 8-8"]
    );
    let shell = "#!/bin/sh\nset -e\n\n# Says hello.\nhello() {\n  echo \"$1\"\n}\n\nfunction bye {\n  exit\n}\nhello x\n";
    assert_eq!(outline("a.sh", shell), ["function hello 4-7", "function bye 9-11"]);
    let sql = "-- People.\ncreate table if not exists people (\n  id int\n);\n\nCREATE OR REPLACE FUNCTION area(x int)\nRETURNS int AS $$\n  select 1\n$$;\n";
    assert_eq!(outline("a.sql", sql), ["struct people 1-4", "function area 6-6"]);
    let hcl = "resource \"aws_s3_bucket\" \"logs\" {\n  name = 1\n}\n";
    assert_eq!(outline("a.tf", hcl), ["struct logs 1-3"]);
}

#[test]
fn documentation_has_no_markers() {
    let doc = |path: &str, source: &str| {
        let facts = crate::check::check(FileType::of_path(path).expect("a known extension"), source).0;
        facts.symbols.iter().next().and_then(|it| it.doc.clone()).unwrap_or_default().to_string()
    };
    assert_eq!(doc("a.sql", "-- People.\n--\n-- # All.\ncreate table people (\n);\n"), "People.\n\n# All.");
    assert_eq!(doc("a.lua", "--- Runs.\n-- Twice.\nfunction run()\nend\n"), "Runs.\nTwice.");
    assert_eq!(doc("a.ml", "(** Runs. *)\nlet run x = x\n"), "Runs.");
    assert_eq!(doc("a.rb", "# Runs.\ndef run\nend\n"), "Runs.");
}

#[test]
fn any_cut_of_a_text_can_be_read() {
    let text = "module A\n  def é\n end\n\tclass B\n  # c\n\n  end\ndef x(\nfun\nclass\n";
    for (cut, _) in text.char_indices() {
        for path in ["a.rb", "a.kt", "a.lua", "a.sh"] {
            outline(path, &text[..cut]);
            outline(path, &text[cut..]);
        }
    }
}
