//! Types, traits and implementations of a crate in rustdoc's JSON.

use std::collections::HashMap;

use serde_json::Value;

use super::path::{arguments, head, segments, short};
use super::source::{At, Sources};
use crate::oracle::fact::DeclarationLine;

/// Implementations, traits, types and functions of a crate.
#[derive(Default)]
pub(super) struct Docs {
    pub(super) impls: Vec<Impl>,
    /// Traits of the crate by path.
    pub(super) traits: HashMap<String, Trait>,
    /// Types of the crate.
    pub(super) types: Vec<DeclarationLine>,
    /// Functions outside of types and traits by path. Foreign functions have no body, so this is their only source.
    pub(super) functions: HashMap<String, DeclarationLine>,
}

/// An implementation block.
pub(super) struct Impl {
    /// Path of its type, if that is in this crate.
    pub(super) path: Option<String>,
    /// Last segment of the path of its type or trait object.
    pub(super) head: Option<String>,
    /// Type in the form of [`short`].
    pub(super) ty: String,
    /// True if the type is a type parameter.
    pub(super) is_blanket: bool,
    /// Declaration of its type, if that is in this crate.
    pub(super) of: Option<DeclarationLine>,
    pub(super) in_trait: Option<TraitRef>,
    pub(super) functions: HashMap<String, DeclarationLine>,
    pub(super) at: At,
}

/// The trait of an implementation.
pub(super) struct TraitRef {
    /// Path, if the trait is in this crate.
    pub(super) path: Option<String>,
    pub(super) name: String,
    /// Generic arguments in the form of [`short`].
    pub(super) arguments: String,
}

/// A trait of the crate.
pub(super) struct Trait {
    pub(super) place: DeclarationLine,
    pub(super) functions: HashMap<String, DeclarationLine>,
    /// Paths of its supertraits in this crate.
    pub(super) extends: Vec<String>,
}

const TYPES: [&str; 3] = ["struct", "enum", "union"];

impl Docs {
    pub(super) fn new(json: &Value, sources: &Sources) -> Self {
        let reader = DocsReader { json, sources };
        let mut docs = Docs::default();
        let Some(items) = json["index"].as_object() else { return docs };
        for item in items.values().filter(|item| item["crate_id"] == 0) {
            let Some((kind, inner)) = item["inner"].as_object().and_then(|inner| inner.iter().next()) else {
                continue;
            };
            match &**kind {
                "impl" => docs.impls.extend(reader.implementation(item, inner)),
                "trait" => {
                    let place = reader.place(item, &["trait"]);
                    if let (Some(path), Some(place)) = (reader.path(&item["id"]), place) {
                        let functions = reader.functions(&inner["items"]);
                        let bounds = inner["bounds"].as_array().into_iter().flatten();
                        let extends =
                            bounds.filter_map(|bound| reader.path(&bound["trait_bound"]["trait"]["id"]));
                        docs.traits.insert(path, Trait { place, functions, extends: extends.collect() });
                    }
                }
                "function" => {
                    if let (Some(path), Some(place)) = (reader.path(&item["id"]), reader.place(item, &["fn"]))
                    {
                        docs.functions.insert(path, place);
                    }
                }
                kind if TYPES.contains(&kind) => docs.types.extend(reader.place(item, &TYPES)),
                _ => {}
            }
        }
        docs
    }
}

struct DocsReader<'a> {
    json: &'a Value,
    sources: &'a Sources,
}

impl<'a> DocsReader<'a> {
    fn item(&self, id: &Value) -> Option<&'a Value> {
        self.json["index"].get(id.as_u64()?.to_string()).filter(|item| item["crate_id"] == 0)
    }

    /// Returns the path of an item inside its crate, if that is this crate.
    fn path(&self, id: &Value) -> Option<String> {
        let entry = self.json["paths"].get(id.as_u64()?.to_string())?;
        let path = entry["path"].as_array().filter(|_| entry["crate_id"] == 0)?;
        Some(path.iter().skip(1).filter_map(Value::as_str).collect::<Vec<_>>().join("::"))
    }

    fn at(item: &Value) -> Option<At> {
        let span = &item["span"];
        let number = |value: &Value| value.as_u64().map(|number| number as u32);
        let path = span["filename"].as_str()?.to_owned();
        Some(At { path, line: number(&span["begin"][0])?, column: number(&span["begin"][1])? })
    }

    fn place(&self, item: &Value, keywords: &[&str]) -> Option<DeclarationLine> {
        let last = item["span"]["end"][0].as_u64()? as u32;
        self.sources.declared_after(&Self::at(item)?, last, keywords, item["name"].as_str()?)
    }

    fn functions(&self, ids: &Value) -> HashMap<String, DeclarationLine> {
        let items = ids.as_array().into_iter().flatten().filter_map(|id| self.item(id));
        let functions = items.filter(|item| item["inner"].get("function").is_some());
        functions
            .filter_map(|item| Some((item["name"].as_str()?.to_owned(), self.place(item, &["fn"])?)))
            .collect()
    }

    fn implementation(&self, item: &Value, inner: &Value) -> Option<Impl> {
        let is_written = inner["blanket_impl"].is_null() && inner["is_synthetic"] == false;
        if !is_written || inner["is_negative"] == true {
            return None;
        }
        let ty = &inner["for"];
        let mut named = ty;
        while let Some(inner) = named.get("borrowed_ref") {
            named = &inner["type"];
        }
        let named = match named.get("dyn_trait") {
            Some(object) => &object["traits"][0]["trait"],
            None => &named["resolved_path"],
        };
        let path = self.path(&named["id"]);
        let declared = self.item(&named["id"]).and_then(|item| self.place(item, &TYPES));
        let in_trait = inner["trait"].as_object().map(|_| {
            let written = render_path(&inner["trait"]);
            TraitRef {
                path: self.path(&inner["trait"]["id"]),
                name: segments(&written).pop().unwrap_or_default(),
                arguments: short(arguments(&written)),
            }
        });
        Some(Impl {
            head: named["path"].as_str().map_or_else(|| head(&render(ty)), head),
            path,
            ty: short(&render(ty)),
            is_blanket: ty.get("generic").is_some(),
            of: declared,
            in_trait,
            functions: self.functions(&inner["items"]),
            at: Self::at(item)?,
        })
    }
}

/// Renders a path with its generic arguments as in source code.
fn render_path(path: &Value) -> String {
    let name = path["path"].as_str().unwrap_or_default();
    let arguments = path["args"]["angle_bracketed"]["args"].as_array().into_iter().flatten();
    let arguments: Vec<String> = arguments
        .filter_map(|argument| {
            argument.get("type").map(render).or_else(|| argument["const"]["expr"].as_str().map(str::to_owned))
        })
        .collect();
    if arguments.is_empty() { name.to_owned() } else { format!("{name}<{}>", arguments.join(", ")) }
}

/// Renders a type as in source code, without lifetimes.
fn render(ty: &Value) -> String {
    let Some((kind, inner)) = ty.as_object().and_then(|ty| ty.iter().next()) else { return "_".to_owned() };
    let mutable = if inner["is_mutable"] == true { "mut " } else { "" };
    match &**kind {
        "resolved_path" => render_path(inner),
        "generic" | "primitive" => inner.as_str().unwrap_or_default().to_owned(),
        "borrowed_ref" => format!("&{mutable}{}", render(&inner["type"])),
        "raw_pointer" => {
            let mutable = if mutable.is_empty() { "const " } else { mutable };
            format!("*{mutable}{}", render(&inner["type"]))
        }
        "slice" => format!("[{}]", render(inner)),
        "array" => format!("[{}; {}]", render(&inner["type"]), inner["len"].as_str().unwrap_or_default()),
        "tuple" => {
            let parts: Vec<String> = inner.as_array().into_iter().flatten().map(render).collect();
            format!("({})", parts.join(", "))
        }
        "dyn_trait" => format!("dyn {}", render_path(&inner["traits"][0]["trait"])),
        _ => "_".to_owned(),
    }
}
