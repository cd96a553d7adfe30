//! Name resolution by rustc.
//!
//! The compiler's intermediate representation (MIR) has the resolved callee of each call and the span where the source
//! names it ([`mir`]); rustdoc has the types, the traits and their implementations ([`docs`]). Both work on one crate
//! at a time, with its default features, so only those edges are known.
//!
//! Code that the source does not spell out is left out: operators, `?`, `for`, derived code, and code from the rules of
//! a macro instead of from the function that invokes it.

mod docs;
mod mir;
mod path;
mod source;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use cargo_metadata::{Metadata, MetadataCommand, Package, Target};
use sscg_core::Relation;

use self::docs::{Docs, Impl, Trait, TraitRef};
use self::mir::{Body, bodies, item_path};
use self::path::{Callee, arguments, head, segments, short};
use self::source::{Sources, Stretch};
use super::fact::{DeclarationLine, Fact, Named};
use crate::workspace::{cargo, copy_tree, metadata, output, root};

/// Returns the facts of every library and binary of the packages below a directory.
pub(super) fn facts(dir: &Path) -> Result<Vec<Fact>> {
    let scratch = tempfile::tempdir()?;
    // Run in the workspace: packages may request other toolchains, which are not installed.
    let workspace = root()?;
    let read = |dir: &Path| -> Result<Metadata> {
        let manifest = dir.ancestors().map(|dir| dir.join("Cargo.toml")).find(|path| path.is_file());
        let manifest = manifest.context("no Cargo.toml here or above")?;
        Ok(MetadataCommand::new().manifest_path(manifest).current_dir(&workspace).no_deps().exec()?)
    };
    let mut found = read(dir).with_context(|| format!("no Rust package in {}", dir.display()))?;
    // Cargo writes a lock file next to a standalone package, whose directory must not change.
    if found.workspace_root.as_std_path() == dir && !dir.join("Cargo.lock").exists() {
        let copy = scratch.path().join("package");
        copy_tree(dir, &copy)?;
        found = read(&copy)?;
    }
    let packages = found.workspace_root.clone().into_std_path_buf();
    let below = dir.strip_prefix(&packages).unwrap_or(Path::new("")).to_owned();
    let mut facts = Vec::new();
    for package in &found.packages {
        if !package.manifest_path.as_std_path().starts_with(packages.join(&below)) {
            continue;
        }
        for target in package.targets.iter().filter(|it| it.is_lib() || it.is_bin() || it.is_proc_macro()) {
            let sources = Sources::new(&packages);
            let found = Crate::new(package, target, scratch.path(), &sources)?;
            found.calls(&mut facts);
            found.implementations(&mut facts);
        }
    }
    let below = below.to_string_lossy().into_owned();
    facts.retain_mut(|fact| fact.places().into_iter().all(|place| is_below(place, &below)));
    Ok(facts)
}

/// Makes a path relative to a directory; returns false if it is not below the directory.
fn is_below(place: &mut DeclarationLine, dir: &str) -> bool {
    let below = Path::new(&place.path).strip_prefix(dir).ok().and_then(Path::to_str).map(str::to_owned);
    below.map(|path| place.path = path).is_some()
}

/// Compiler output for one crate.
struct Crate<'a> {
    sources: &'a Sources,
    bodies: Vec<Body>,
    docs: Docs,
    /// Functions outside of implementation blocks, by path.
    functions: HashMap<String, DeclarationLine>,
    /// First segments of the crate's own paths.
    roots: HashSet<String>,
}

/// Resolution of a callee.
enum Called {
    Declared(DeclarationLine),
    Outside,
    /// A function of the crate that its path does not identify uniquely.
    Unknown,
}

impl<'a> Crate<'a> {
    fn new(package: &Package, target: &Target, scratch: &Path, sources: &'a Sources) -> Result<Self> {
        let build = build_dir()?;
        let mir = scratch.join(format!("{}.mir", target.name));
        let which = if target.is_bin() { vec!["--bin", &*target.name] } else { vec!["--lib"] };
        let compile = |command: &str, args: &[&str]| -> Result<()> {
            let mut cargo = cargo([command, "--quiet", "--manifest-path", package.manifest_path.as_str()])?;
            cargo.args(&which).args(args).env("RUSTC_BOOTSTRAP", "1").env("CARGO_TARGET_DIR", &build);
            output(&mut cargo).map(drop)
        };
        let emit = format!("--emit=mir={}", mir.display());
        let mut args = vec!["--", "--cap-lints", "allow", &emit];
        args.extend(["-Zmir-opt-level=0", "-Zinline-mir=no", "-Zmir-include-spans=on"]);
        // Callers only see that an `impl Trait` implements the trait, not which type it is.
        args.extend(["-Ztrim-diagnostic-paths=no", "-Zmir-enable-passes=-PostAnalysisNormalize"]);
        compile("rustc", &args)?;
        let json = ["--", "--cap-lints", "allow", "-Zunstable-options", "--output-format", "json"];
        compile("rustdoc", &[&json[..], &["--document-private-items", "--document-hidden-items"]].concat())?;

        let printed = fs::read_to_string(&mir).with_context(|| format!("no {}", mir.display()))?;
        let json = build.join(format!("doc/{}.json", target.name.replace('-', "_")));
        let json = fs::read(&json).with_context(|| format!("no {}", json.display()))?;
        let mut docs = Docs::new(&serde_json::from_slice(&json)?, sources);
        let bodies = bodies(&printed);
        let mut functions = docs.functions.clone();
        for body in bodies.iter().filter(|body| body.is_function && !body.path.contains("<impl at ")) {
            if let Some(place) = place_of(body, sources) {
                functions.insert(body.path.clone(), place);
            }
        }
        docs.impls.extend(blocks_in_bodies(&bodies, &docs, sources));
        let types = docs.impls.iter().filter_map(|block| block.path.as_ref());
        let paths = bodies.iter().map(|body| &body.path).chain(types).chain(docs.traits.keys());
        let roots = paths.filter_map(|path| segments(path).into_iter().next()).collect();
        Ok(Self { sources, bodies, docs, functions, roots })
    }

    /// Adds the calls.
    fn calls(&self, facts: &mut Vec<Fact>) {
        let relation = Named(Relation::Calls);
        let mut owners: HashMap<&str, DeclarationLine> = HashMap::new();
        for body in self.bodies.iter().filter(|body| item_path(&body.path) == body.path) {
            let Some(place) = place_of(body, self.sources) else { continue };
            facts.push(Fact::Covered { place: place.clone(), relations: vec![relation] });
            // Conditional code may not be part of this build.
            for (name, at) in self.sources.conditional_names(&place) {
                facts.push(Fact::Unknown { relation, source: place.clone(), name, at });
            }
            owners.insert(&body.path, place);
        }
        for body in &self.bodies {
            // Items inside functions that the source does not spell out belong to the function.
            let around = std::iter::successors(Some(item_path(&body.path)), |path| {
                path.rsplit_once("::").map(|(outer, _)| outer)
            });
            let Some(source) = around.into_iter().find_map(|path| owners.get(path)) else { continue };
            for call in &body.calls {
                let Some(written) = self.sources.path_at(&call.at) else { continue };
                let Some(callee) = Callee::parse(&call.callee) else { continue };
                // A trait's function may run without its name in the source: `*x`, `a + b`.
                let is_named = segments(&written).last().is_some_and(|name| name == callee.name());
                if matches!(callee, Callee::Member { in_trait: Some(_), .. }) && !is_named {
                    continue;
                }
                let (source, at) = (source.clone(), call.at.start.line);
                match self.called(&callee) {
                    Called::Declared(target) => facts.push(Fact::Edge { relation, source, target, at }),
                    Called::Unknown => {
                        let name = callee.name().to_owned();
                        facts.push(Fact::Unknown { relation, source, name, at });
                    }
                    Called::Outside => {}
                }
            }
        }
    }

    fn called(&self, callee: &Callee) -> Called {
        match callee {
            Callee::Path(path) => {
                let is_own = path.first().is_some_and(|first| self.roots.contains(first));
                if let Some(place) = self.functions.get(&path.join("::")) {
                    return Called::Declared(place.clone());
                }
                let (name, owner) = path.split_last().expect("a path has at least one segment");
                match self.inherent(&owner.join("::"), name, Called::Outside) {
                    Called::Outside if is_own => {
                        owner.last().map_or(Called::Unknown, |outer| self.nested(outer, name))
                    }
                    called => called,
                }
            }
            Callee::Nested { outer, name } => self.nested(outer, name),
            Callee::Member { of, in_trait: None, name } => {
                let of = of.strip_prefix("dyn ").unwrap_or(of);
                self.inherent(&segments(of).join("::"), name, Called::Outside)
            }
            Callee::Member { of, in_trait: Some(in_trait), name } => self.of_trait(of, in_trait, name),
        }
    }

    /// Resolves a function inside an associated function, for which the compiler prints only the names.
    fn nested(&self, outer: &str, name: &str) -> Called {
        let end = format!(">::{outer}::{name}");
        let mut found = self.bodies.iter().filter(|body| body.path.ends_with(&end));
        match (found.next().and_then(|body| place_of(body, self.sources)), found.next()) {
            (Some(place), None) => Called::Declared(place),
            _ => Called::Unknown,
        }
    }

    /// Resolves an inherent function of a type.
    fn inherent(&self, owner: &str, name: &str, otherwise: Called) -> Called {
        let blocks = self.docs.impls.iter().filter(|block| block.in_trait.is_none());
        let mut found = blocks
            .filter(|block| block.path.as_deref() == Some(owner))
            .filter_map(|it| it.functions.get(name));
        match (found.next(), found.next()) {
            (Some(place), None) => Called::Declared(place.clone()),
            (Some(_), Some(_)) => Called::Unknown,
            (None, _) => otherwise,
        }
    }

    /// Resolves a trait's function for a type: to the implementation's if there is one, otherwise to the trait's.
    fn of_trait(&self, of: &str, in_trait: &str, name: &str) -> Called {
        let path = segments(in_trait);
        let declared = self.docs.traits.get(&path.join("::"));
        let trait_name = path.last().map_or("", String::as_str);
        let is_of_trait = |block: &&Impl| {
            block.in_trait.as_ref().is_some_and(|it| it.name == trait_name)
                && block.functions.contains_key(name)
        };
        let blocks: Vec<&Impl> = self.docs.impls.iter().filter(is_of_trait).collect();
        match self.fitting(&blocks, of, in_trait)[..] {
            [only] => return Called::Declared(only.functions[name].clone()),
            [_, _, ..] => return Called::Unknown,
            [] => {}
        }
        let Some(Trait { functions, .. }) = declared else { return Called::Outside };
        // The function behind a trait object is unknown before run time, and the type of an `impl Trait` is hidden.
        let is_promised = of.starts_with("dyn ") || path::bounds(of).any(|bound| bound == trait_name);
        if let (true, Some(place)) = (is_promised, functions.get(name)) {
            return Called::Declared(place.clone());
        }
        let blanket: Vec<&&Impl> = blocks.iter().filter(|block| block.is_blanket).collect();
        match (&blanket[..], self.is_parameter(of), functions.get(name)) {
            ([], _, Some(place)) => Called::Declared(place.clone()),
            ([only], false, _) => Called::Declared(only.functions[name].clone()),
            _ => Called::Unknown,
        }
    }

    /// Returns the implementations of a trait that fit a type; if several do, those with the same arguments of the trait
    /// or the same written type.
    fn fitting<'b>(&self, blocks: &[&'b Impl], of: &str, in_trait: &str) -> Vec<&'b Impl> {
        let (arguments, ty, ty_head) = (short(arguments(in_trait)), short(of), head(of));
        let of_path = segments(of.trim_start_matches(['&', ' ']).trim_start_matches("mut ")).join("::");
        let is_own = self.docs.impls.iter().any(|block| block.path.as_deref() == Some(&*of_path));
        let mut fitting = blocks.to_vec();
        fitting.retain(|block| {
            let same_path = match &block.path {
                Some(path) => *path == of_path,
                None => block.head.is_some() && block.head == ty_head && !is_own,
            };
            let by_head = same_path && block.ty.starts_with('&') == of.starts_with('&');
            !block.is_blanket && (by_head || block.path.is_none() && block.ty == ty)
        });
        let same_arguments =
            |block: &&Impl| block.in_trait.as_ref().is_some_and(|it| it.arguments == arguments);
        for fits in [&same_arguments as &dyn Fn(&&Impl) -> bool, &|block: &&Impl| block.ty == ty] {
            if fitting.len() > 1 && fitting.iter().any(fits) {
                fitting.retain(fits);
            }
        }
        fitting
    }

    /// True if a printed type is a type parameter, or depends on one.
    fn is_parameter(&self, ty: &str) -> bool {
        let is_bare = !ty.contains("::") && ty.starts_with(char::is_uppercase);
        let own =
            || self.docs.impls.iter().any(|block| block.path.as_deref() == Some(&*segments(ty).join("::")));
        ty.starts_with('<') || ty.starts_with("impl ") || is_bare && !own()
    }

    /// Adds trait implementations, supertraits and overrides.
    fn implementations(&self, facts: &mut Vec<Fact>) {
        let [implements, inherits, overrides] =
            [Relation::Implements, Relation::Inherits, Relation::Overrides].map(Named);
        // Nothing is known about traits that are not part of this build.
        let mut left_out = self.sources.traits();
        left_out.retain(|name| self.docs.traits.values().all(|declared| declared.place.name != *name));
        for place in &self.docs.types {
            facts.push(Fact::Covered { place: place.clone(), relations: vec![implements] });
            facts.extend(left_out.iter().map(|name| Fact::Unknown {
                relation: implements,
                source: place.clone(),
                name: name.clone(),
                at: place.line,
            }));
        }
        for declared in self.docs.traits.values() {
            facts.push(Fact::Covered { place: declared.place.clone(), relations: vec![inherits] });
            for extended in declared.extends.iter().filter_map(|path| self.docs.traits.get(path)) {
                let (source, target) = (declared.place.clone(), extended.place.clone());
                facts.push(Fact::Edge { relation: inherits, at: source.line, source, target });
            }
        }
        for block in &self.docs.impls {
            let Some(TraitRef { path, name, .. }) = &block.in_trait else { continue };
            let declared = path.as_ref().and_then(|path| self.docs.traits.get(path));
            let is_written = self.sources.is_block(&block.at);
            if let Some(source) = block.of.clone() {
                let at = block.at.line;
                match declared {
                    Some(declared) if is_written => {
                        let target = declared.place.clone();
                        facts.push(Fact::Edge { relation: implements, source, target, at });
                    }
                    _ => {
                        let name = name.clone();
                        facts.push(Fact::Unknown { relation: implements, source, name, at });
                    }
                }
            }
            for (name, place) in block.functions.iter().filter(|_| is_written) {
                facts.push(Fact::Covered { place: place.clone(), relations: vec![overrides] });
                if let Some(target) = declared.and_then(|declared| declared.functions.get(name)) {
                    let (source, target) = (place.clone(), target.clone());
                    facts.push(Fact::Edge { relation: overrides, at: source.line, source, target });
                }
            }
        }
    }
}

/// Returns the implementations inside functions, which rustdoc omits.
fn blocks_in_bodies(bodies: &[Body], docs: &Docs, sources: &Sources) -> Vec<Impl> {
    let mut blocks: Vec<Impl> = Vec::new();
    for body in bodies.iter().filter(|body| body.is_function && item_path(&body.path) == body.path) {
        let Some((path, name)) = body.path.rsplit_once(">::") else { continue };
        let Some(at) = path.rsplit_once("<impl at ").and_then(|(_, at)| Stretch::parse(at)) else { continue };
        let at = at.start;
        let Some(place) = place_of(body, sources) else { continue };
        if docs.impls.iter().any(|block| block.at == at) {
            continue;
        }
        if let Some(block) = blocks.iter_mut().find(|block| block.at == at) {
            block.functions.insert(name.to_owned(), place);
        } else if let Some((in_trait, ty)) = sources.block_at(&at) {
            let functions = HashMap::from([(name.to_owned(), place)]);
            let path = segments(&in_trait);
            let trait_name = path.last().cloned().unwrap_or_default();
            let in_trait = TraitRef { path: None, name: trait_name, arguments: short(arguments(&in_trait)) };
            blocks.push(Impl {
                path: None,
                head: head(&ty),
                ty: short(&ty),
                is_blanket: false,
                of: None,
                in_trait: Some(in_trait),
                functions,
                at,
            });
        }
    }
    blocks
}

/// Returns the place of a body's item, if the source spells out the item and its implementation block.
fn place_of(body: &Body, sources: &Sources) -> Option<DeclarationLine> {
    if let Some((_, block)) = body.path.rsplit_once("<impl at ")
        && !Stretch::parse(block.split('>').next()?).is_some_and(|at| sources.is_block(&at.start))
    {
        return None;
    }
    let name = body.path.rsplit("::").next()?;
    let keywords: &[&str] = if body.is_function { &["fn"] } else { &["const", "static"] };
    sources.declared_before(&body.result_at, keywords, name)
}

/// Returns the shared build directory of the crates, so that their dependencies are built once.
fn build_dir() -> Result<PathBuf> {
    Ok(metadata()?.target_directory.join("oracle").into_std_path_buf())
}
