//! Protocol Buffers: services with their calls, and messages.

use std::iter::Peekable;

use super::Read;
use crate::{Contract, ContractOperation, ContractType, SchemaField};

/// Method of the endpoints of gRPC services.
pub(crate) const METHOD: &str = "GRPC";

/// Returns the contract of a file; `None` if it declares no service.
pub(super) fn read(path: &str, text: &str) -> Option<Read> {
    let mut reader = Reader { tokens: Tokens { text, at: 0, line: 1 }.peekable(), package: String::new() };
    let (mut operations, mut schemas) = (Vec::new(), Vec::new());
    while let Some(Token { text: keyword, .. }) = reader.tokens.next() {
        match keyword {
            "package" => reader.package = reader.tokens.next().map_or("", |token| token.text).to_owned(),
            "service" => reader.service(&mut operations),
            "message" => reader.message(&mut schemas),
            "{" => reader.skip_block(),
            _ => {}
        }
    }
    let contract = Contract {
        file: path.into(),
        contract_type: ContractType::Protobuf,
        version: "".into(),
        title: reader.package.as_str().into(),
        service: None,
        hints: Vec::new(),
        deprecated: false,
        messages: Vec::new(),
        schemas,
        operations,
    };
    (!contract.operations.is_empty()).then_some(Read { contract, hosts: Vec::new() })
}

/// Word or sign of a file.
#[derive(Clone, Copy)]
struct Token<'t> {
    text: &'t str,
    /// 1-based line.
    line: u32,
}

/// Words, texts and signs of a file, without comments.
struct Tokens<'t> {
    text: &'t str,
    at: usize,
    line: u32,
}

impl<'t> Tokens<'t> {
    /// Passes over a part of the text and returns it.
    fn take(&mut self, length: usize) -> &'t str {
        let taken = &self.text[self.at..self.at + length];
        self.line += taken.bytes().filter(|byte| *byte == b'\n').count() as u32;
        self.at += length;
        taken
    }
}

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        loop {
            let rest = &self.text[self.at..];
            let blank = rest.len() - rest.trim_start().len();
            let passed = match rest.get(..2) {
                _ if blank > 0 => blank,
                Some("//") => rest.find('\n').unwrap_or(rest.len()),
                Some("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
                _ => break,
            };
            self.take(passed);
        }
        let rest = &self.text[self.at..];
        let first = rest.chars().next()?;
        let is_word = |char: char| char.is_alphanumeric() || matches!(char, '_' | '.');
        let length = match first {
            '"' | '\'' => quoted_length(rest, first),
            char if is_word(char) => rest.find(|char| !is_word(char)).unwrap_or(rest.len()),
            char => char.len_utf8(),
        };
        let line = self.line;
        Some(Token { text: self.take(length), line })
    }
}

/// Returns the length of the quoted text at the start of `text`.
fn quoted_length(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    let ends = |(_, char): &(usize, char)| {
        let ends = *char == quote && !is_escaped;
        is_escaped = *char == '\\' && !is_escaped;
        ends
    };
    text.char_indices().skip(1).find(ends).map_or(text.len(), |(end, quote)| end + quote.len_utf8())
}

/// Reader of the declarations of a file.
struct Reader<'t> {
    tokens: Peekable<Tokens<'t>>,
    package: String,
}

impl<'t> Reader<'t> {
    fn name(&mut self) -> Option<&'t str> {
        self.tokens.next().map(|token| token.text)
    }

    /// Passes over the rest of a block.
    fn skip_block(&mut self) {
        let mut depth = 1;
        for token in self.tokens.by_ref() {
            depth += i32::from(token.text == "{") - i32::from(token.text == "}");
            if depth == 0 {
                return;
            }
        }
    }

    /// Reads `CartService { rpc AddItem(Item) returns (Empty) {} }`.
    fn service(&mut self, operations: &mut Vec<ContractOperation>) {
        let Some(name) = self.name() else { return };
        let service = match &*self.package {
            "" => name.to_owned(),
            package => format!("{package}.{name}"),
        };
        if self.name() != Some("{") {
            return;
        }
        while let Some(token) = self.tokens.next() {
            match token.text {
                "}" => return,
                "{" => self.skip_block(),
                "rpc" => {
                    let Some(call) = self.name() else { return };
                    operations.push(ContractOperation {
                        method: METHOD.into(),
                        path: format!("/{service}/{call}").into(),
                        operation_id: format!("{name}.{call}").into(),
                        summary: "".into(),
                        secured: false,
                        line: token.line,
                    });
                }
                _ => {}
            }
        }
    }

    /// Reads `CartItem { string product_id = 1; repeated Offer offers = 2; }`. Messages inside are read for themselves.
    fn message(&mut self, schemas: &mut Vec<(Box<str>, Vec<SchemaField>)>) {
        let Some(name) = self.name() else { return };
        if self.name() != Some("{") {
            return;
        }
        // Open messages and groups, innermost last, with their fields.
        let mut open: Vec<(&str, Vec<SchemaField>)> = vec![(name, Vec::new())];
        let mut words: Vec<&str> = Vec::new();
        while let Some(token) = self.tokens.next() {
            match token.text {
                // Value of an option of a field, which goes on after it.
                "{" if words.contains(&"[") => self.skip_block(),
                "{" => {
                    match words[..] {
                        ["message", name] => open.push((name, Vec::new())),
                        // The fields of a choice are those of the message.
                        ["oneof", _] => open.push(("", Vec::new())),
                        _ => self.skip_block(),
                    }
                    words.clear();
                }
                "}" => {
                    let Some((name, fields)) = open.pop() else { return };
                    match open.last_mut() {
                        Some((_, around)) if name.is_empty() => around.extend(fields),
                        _ => schemas.push((name.into(), fields)),
                    }
                    if open.is_empty() {
                        return;
                    }
                    words.clear();
                }
                ";" => {
                    if let (Some(field), Some((_, fields))) = (field(&words), open.last_mut()) {
                        fields.push(field);
                    }
                    words.clear();
                }
                word => words.push(word),
            }
        }
    }
}

/// Returns the field of a statement: `repeated CartItem items = 2`, `map<string, int32> counts = 3 [deprecated = true]`.
fn field(words: &[&str]) -> Option<SchemaField> {
    let equals = words.iter().position(|word| *word == "=")?;
    let (name, ty) = words[..equals].split_last()?;
    if matches!(ty.first(), None | Some(&("extensions" | "option" | "reserved"))) {
        return None;
    }
    let ty = ty.concat();
    let required = !ty.starts_with("optional") && !ty.starts_with("repeated");
    let ty = match ty.strip_prefix("repeated") {
        Some(element) => format!("repeated {element}"),
        None => ty.trim_start_matches("optional").trim_start_matches("required").to_owned(),
    };
    Some(SchemaField { name: (*name).into(), ty: ty.into(), required, description: "".into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_and_messages_are_read() {
        let text = "syntax = \"proto3\"; // service No {}\npackage shop.v1;\n/* service No { */\n\
                    service Cart {\n  option (x) = { a: 1 };\n  rpc Add(stream Item) returns (Empty) {}\n\
                    \x20 rpc Get (Id) returns (stream Item) { option (google.api.http) = { get: \"/v1/{id}\" }; }\n}\n\
                    message Item { string id = 1 [deprecated = true]; repeated Offer offers = 2;\n\
                    \x20 map<string, int32> counts = 3; oneof one { int32 a = 4; optional int32 b = 5; }\n\
                    \x20 message Offer { .shop.Money price = 1; } enum E { X = 0; } reserved 9; }\nmessage Empty {}\n";
        let contract = read("a.proto", text).expect("it has a service").contract;
        let operations =
            contract.operations.iter().map(|it| format!("{} {} @{}", it.method, it.path, it.line));
        assert_eq!(
            operations.collect::<Vec<_>>(),
            ["GRPC /shop.v1.Cart/Add @6", "GRPC /shop.v1.Cart/Get @7"]
        );
        let fields = |fields: &[SchemaField]| {
            let fields = fields
                .iter()
                .map(|it| format!("{} {}{}", it.ty, it.name, if it.required { "" } else { "?" }));
            fields.collect::<Vec<_>>().join(", ")
        };
        let schemas = contract.schemas.iter().map(|(name, of)| format!("{name}: {}", fields(of)));
        assert_eq!(
            schemas.collect::<Vec<_>>(),
            [
                "Offer: .shop.Money price",
                "Item: string id, repeated Offer offers?, map<string,int32> counts, int32 a, int32 b?",
                "Empty: "
            ]
        );
        assert!(read("b.proto", "message A {}").is_none());
    }

    #[test]
    fn options_of_fields_can_have_blocks_and_quotes() {
        let text = "service S { option (x) = { y: \"\\\"}\" }; rpc M(A) returns (A); }\n\
                    message A { string id = 1 [(rules) = { min: 1 nested { pattern: \"a\\\"{\" } }, deprecated = true];\n\
                    \x20 optional group Old = 2 { int32 a = 1; } extensions 4 to 5 [verification = NONE]; int32 b = 3; }\n";
        let contract = read("a.proto", text).expect("it has a service").contract;
        let fields = contract.schemas.iter().flat_map(|(_, fields)| fields);
        let fields: Vec<String> = fields.map(|it| format!("{} {}", it.ty, it.name)).collect();
        assert_eq!(fields, ["string id", "int32 b"]);
        assert_eq!(contract.operations.len(), 1);
    }

    #[test]
    fn cut_files_are_read_as_far_as_they_go() {
        let text = "package a; service S { rpc M(A) returns (B); } message A { message B { x y = 1; } \"ü";
        for (cut, _) in text.char_indices() {
            read("a.proto", &text[..cut]);
            read("a.proto", &text[cut..]);
        }
    }
}
