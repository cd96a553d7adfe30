//! Everything one file says on its own.
//!
//! [`FileFacts`] is a pure function of (file extension, text, extractor version): it holds no path, so a file
//! that moves or a branch that is checked out again finds its facts in the store by content. Names are kept
//! as written, with what the file's own scopes say about their first segment ([`Head`]); what they mean in
//! other files is decided by linking.
//!
//! The types derive serde because the facts store writes them; that encoding is private to one extractor
//! version and no wire format.

use bitflags::bitflags;
use serde::{Deserialize, Serialize};

use crate::{
    ChunkKind, Flow, Id, IndexVec, LineRange, LocalCall, LocalChunk, LocalImport, LocalSymbol, Relation,
    Span, SymbolKind,
};

/// The facts of one file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileFacts {
    /// Number of lines.
    pub lines: u32,
    /// The comment or docstring that describes the file as a whole, without its markers.
    pub doc: Option<Box<str>>,
    /// Declarations in source order, each parent before its children.
    pub symbols: IndexVec<LocalSymbol, Symbol>,
    /// Imports in source order.
    pub imports: IndexVec<LocalImport, Import>,
    /// Declarations that other files see under another name than their own.
    pub exports: Vec<Export>,
    /// Uses of names, in source order.
    pub references: Vec<Reference>,
    /// Chunks in source order, each parent before its children.
    pub chunks: IndexVec<LocalChunk, Chunk>,
    /// Where values come from, for languages whose types do not decide what a call runs.
    pub flow: Flow,
    /// What was wrong with the text.
    pub diagnostics: Vec<Diagnostic>,
}

impl FileFacts {
    /// Gives back the room for rows that are not there. Facts are made once, and those of all files of a project held
    /// at once.
    pub fn shrink_to_fit(&mut self) {
        let Self { symbols, imports, exports, references, chunks, flow, diagnostics, .. } = self;
        symbols.shrink_to_fit();
        imports.shrink_to_fit();
        exports.shrink_to_fit();
        references.shrink_to_fit();
        chunks.shrink_to_fit();
        diagnostics.shrink_to_fit();
        let Flow { values, functions, calls, symbols, stores } = flow;
        values.shrink_to_fit();
        functions.shrink_to_fit();
        calls.shrink_to_fit();
        symbols.shrink_to_fit();
        stores.shrink_to_fit();
    }

    /// Replaces what stands in more than a thousand types by [`TypeHint::Unknown`], so that whoever reads the facts
    /// can follow types without running out of stack. Needs stack for the types that are there. O(facts).
    pub fn limit_nesting(&mut self) {
        for symbol in self.symbols.iter_mut() {
            let bounds = symbol.bounds.iter_mut().map(|bound| &mut bound.ty);
            let types = symbol.ty.iter_mut().chain(&mut symbol.parameters).chain(bounds);
            types.for_each(|ty| ty.limit_nesting(MAX_HINT_NESTING));
        }
        for Reference { target, first_argument, .. } in &mut self.references {
            target.limit_nesting(MAX_HINT_NESTING);
            first_argument.iter_mut().for_each(|ty| ty.limit_nesting(MAX_HINT_NESTING));
        }
    }
}

/// Maximum number of types that one stands in: more than any that people write, method chains included.
const MAX_HINT_NESTING: usize = 1_000;

/// A declaration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Symbol {
    /// The declared name. An implementation block has the name of the type it belongs to.
    pub name: Box<str>,
    /// What it is.
    pub kind: SymbolKind,
    /// The declaration it stands in.
    pub parent: Option<LocalSymbol>,
    /// The whole declaration, with the comments, attributes and decorators attached to it.
    pub span: Span,
    /// The lines of `span`.
    pub lines: LineRange,
    /// The line of the name, where an editor would jump to.
    pub name_line: u32,
    /// What a stub leaves out: a function's block, a class's body. `None` if there is none.
    pub body: Option<Span>,
    /// The declaration without its body, on one line, without attributes and trailing punctuation.
    pub signature: Box<str>,
    /// The documentation comment without its markers.
    pub doc: Option<Box<str>>,
    /// Whether other files can name it.
    pub exported: bool,
    /// Keywords that change what the declaration means.
    pub modifiers: Modifiers,
    /// The type parameters, in order.
    pub type_parameters: Box<[TypeParameter]>,
    /// The attributes and decorators that stand on it, each as written, in order.
    pub attributes: Box<[Span]>,
    /// The condition under which it is part of a build, on one line: `not(feature = "std")` for
    /// `#[cfg(not(feature = "std"))]`.
    pub condition: Option<Box<str>>,
    /// The type the text gives: of a field, constant or variable its own, of a function its return type, of
    /// an implementation block the type it belongs to, of a Rust variant that holds values the tuple of theirs, of a
    /// class or interface those of its bases that the language makes of other types (`Omit<Base, "id">`).
    pub ty: Option<TypeHint>,
    /// The types of a function's parameters, in order; empty where the text says nothing of use.
    pub parameters: Box<[TypeHint]>,
    /// What type parameters must satisfy, its own or those of declarations around it.
    pub bounds: Box<[Bound]>,
    /// The chunk that shows the declaration: its own or that of the nearest enclosing declaration.
    pub chunk: LocalChunk,
}

/// A type parameter of a declaration: `T extends Entity = User`, `T: Read + 'a`, `const N: usize`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeParameter {
    /// Its name as written; a lifetime's with its tick, a Python star with it.
    pub name: Box<str>,
    /// What it must satisfy, on one line; of a constant parameter its type.
    pub constraint: Option<Box<str>>,
    /// What it is if nothing is given, on one line.
    pub default: Option<Box<str>>,
}

/// One thing that a type parameter, or the associated type of one, must satisfy or is if nothing is given: `T: Read`,
/// `where T::Item: Debug`, `E = Error`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// The parameter as written.
    pub parameter: Box<str>,
    /// What it must satisfy, or is.
    pub ty: TypeHint,
}

bitflags! {
    /// Keywords and marks that change what a declaration means.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(transparent)]
    pub struct Modifiers: u32 {
        /// `async`.
        const ASYNC = 1;
        /// `static`, `@staticmethod`, `@classmethod`, a Rust function without `self`, or what the body of a Python
        /// class assigns without annotating it.
        const STATIC = 1 << 1;
        /// `abstract`, a required trait function, `@abstractmethod`, or a Python class on `ABC`.
        const ABSTRACT = 1 << 2;
        /// `unsafe`.
        const UNSAFE = 1 << 3;
        /// `const fn`, `const enum`.
        const CONST = 1 << 4;
        /// The default export of its file.
        const DEFAULT = 1 << 5;
        /// Only part of test builds: `#[test]`, `#[cfg(test)]`.
        const TEST = 1 << 6;
        /// A property read or written through a function.
        const ACCESSOR = 1 << 7;
        /// A generator.
        const GENERATOR = 1 << 8;
        /// `readonly`, `Final`.
        const READONLY = 1 << 9;
        /// `private`, `#name`, or a Python name with two leading underscores.
        const PRIVATE = 1 << 10;
        /// `protected`, or a Python member with one leading underscore.
        const PROTECTED = 1 << 11;
        /// `override`, `@override`.
        const OVERRIDE = 1 << 12;
        /// May be left out: `name?: T`.
        const OPTIONAL = 1 << 13;
        /// Says what is defined elsewhere: `declare`, an item of an `extern` block.
        const DECLARE = 1 << 14;
        /// One of several signatures of one function: a TypeScript overload, `@overload`.
        const OVERLOAD = 1 << 15;
        /// `extern "C" fn`.
        const EXTERN = 1 << 16;
        /// `mut`: a Rust `static mut`.
        const MUT = 1 << 17;
    }
}

/// A name bound by an import, or an import for its effects alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Import {
    /// How it binds.
    pub kind: ImportKind,
    /// Where from, as written: `./auth`, `crate::io`, `..models`.
    pub module: Box<str>,
    /// The name in that module, for [`ImportKind::Named`]; empty otherwise.
    pub name: Box<str>,
    /// The name it is bound to here; empty if it binds none.
    pub local: Box<str>,
    /// Whether this file offers the name to others in turn.
    pub reexport: bool,
    /// The condition under which it is part of a build; see [`Symbol::condition`].
    pub condition: Option<Box<str>>,
    /// The declaration whose scope it belongs to; `None` for the file's.
    pub scope: Option<LocalSymbol>,
    /// The whole statement; the imports of one statement share it.
    pub span: Span,
    /// The line of the name.
    pub line: u32,
}

/// A name under which other files see a declaration that is called something else here:
/// `export { local as name }`, `exports.name = local`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Export {
    /// The name others use.
    pub name: Box<str>,
    /// What it stands for.
    pub symbol: LocalSymbol,
}

impl Export {
    /// The name of what a module is when it is used as a value: `export = value`, `module.exports = value`.
    pub const WHOLE: &str = "export=";
}

/// How an import binds names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ImportKind {
    /// One name of the module.
    Named,
    /// The module's default export.
    Default,
    /// The module itself.
    Module,
    /// Every public name of the module.
    Glob,
    /// Nothing.
    Effects,
}

/// One use of a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// What the use says.
    pub relation: Relation,
    /// The innermost declaration around it; `None` at the file's top level.
    pub from: Option<LocalSymbol>,
    /// What is named.
    pub target: NameRef,
    /// The line of the last segment.
    pub line: u32,
    /// How many arguments a call or construction passes, at most 255; `None` for other uses, and where the
    /// text does not say (`f(*args)`).
    pub arguments: Option<u8>,
    /// What the text says of the first argument of a call by a path through a type or trait, where languages choose by
    /// it: `Trait::method(value)`, `Type::from(value)`.
    pub first_argument: Option<Box<TypeHint>>,
    /// Whether it was seen among the tokens of a macro that may make anything of them, or nothing.
    pub in_macro: bool,
    /// The call in the file's [`Flow`], if this names what is called.
    pub call: Option<LocalCall>,
}

/// A name as written, with what the scopes of its own file say of the first segment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NameRef {
    /// What the first segment is bound to.
    pub head: Head,
    /// The segments: `["self", "inner", "poll"]` for `self.inner.poll()`, `["Vec", "new"]` for `Vec::new()`.
    /// A macro's segment ends in `!`. Never empty.
    pub path: Box<[Box<str>]>,
}

impl NameRef {
    fn limit_nesting(&mut self, levels: usize) {
        if let Head::Local(Some(ty)) | Head::Value(Some(ty)) = &mut self.head {
            ty.limit_nesting(levels);
        }
    }

    /// A name with no binding in its file.
    pub fn free<'a>(path: impl IntoIterator<Item = &'a str>) -> Self {
        Self::new(Head::Free, path)
    }

    /// A name of the given segments.
    ///
    /// # Panics
    /// If `path` is empty.
    pub fn new<'a>(head: Head, path: impl IntoIterator<Item = &'a str>) -> Self {
        let path: Box<[Box<str>]> = path.into_iter().map(Box::from).collect();
        assert!(!path.is_empty(), "a name has at least one segment");
        Self { head, path }
    }

    /// The last segment: the name that is used.
    pub fn name(&self) -> &str {
        self.path.last().expect("a name has at least one segment")
    }
}

/// What the first segment of a name is bound to, by the scopes of its own file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Head {
    /// Nothing in this file: a global, a prelude name, a name from a glob import, a crate or package.
    Free,
    /// A declaration of this file.
    Symbol(LocalSymbol),
    /// An import of this file.
    Import(LocalImport),
    /// The enclosing type or an instance of it: `self`, `this`, `cls`, `Self`.
    SelfType,
    /// The enclosing type's parent: `super.f()`, `super().f()`.
    Super,
    /// A parameter or local variable, with its type where the text gives one.
    Local(Option<Box<TypeHint>>),
    /// The segments are members of a value that has no name, with its type where the text gives one:
    /// `["bar"]` for `foo().bar()`.
    Value(Option<Box<TypeHint>>),
    /// A type parameter of an enclosing declaration.
    TypeParameter,
}

/// What the text says of a value's type. A hint is read in the scope of the declaration that it stands in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TypeHint {
    /// Nothing that tells a value's members: a number, a type parameter without bounds.
    Unknown,
    /// The type is written out: an annotation, a cast, a struct literal.
    Named(NameRef),
    /// A written type with arguments: `Map<string, User>`, `Result<T, E>`, what is given for associated types
    /// included. An array's type is `Array` of its elements' type in TypeScript; a Rust tuple is called
    /// [`TypeHint::TUPLE`], a slice or array [`TypeHint::SLICE`], and references and pointers that stand for what they
    /// point to are left out.
    Generic(NameRef, Box<[TypeHint]>),
    /// A function's type: what it takes and what it returns.
    Function(Box<[TypeHint]>, Box<TypeHint>),
    /// Named values: `{ left: Node, right: Node }`.
    Object(Box<[(Box<str>, TypeHint)]>),
    /// Any of these types, or all of them at once.
    OneOf(Box<[TypeHint]>),
    /// The value is the one this name denotes.
    Value(NameRef),
    /// The value is what calling this name returns: a function's result, or an instance of a class.
    Result(NameRef),
    /// The value is a part of another.
    Part(Part, Box<TypeHint>),
    /// The value is passed as this argument when the name is called, counted from 0.
    Argument(NameRef, u8),
    /// The value is this parameter of a function of this type, counted from 0.
    Parameter(Box<TypeHint>, u8),
    /// The value is what calling this name hands on to the closure it is given, as its n-th parameter:
    /// `items.iter().map(|item| ..)`.
    Handed(NameRef, u8),
}

impl TypeHint {
    /// The name of a tuple.
    pub const TUPLE: &str = "()";
    /// The name of a slice or array.
    pub const SLICE: &str = "[]";

    fn limit_nesting(&mut self, levels: usize) {
        let Some(inner) = levels.checked_sub(1) else {
            *self = Self::Unknown;
            return;
        };
        match self {
            Self::Unknown => {}
            Self::Named(name)
            | Self::Value(name)
            | Self::Result(name)
            | Self::Argument(name, _)
            | Self::Handed(name, _) => name.limit_nesting(inner),
            Self::Generic(name, arguments) => {
                name.limit_nesting(inner);
                arguments.iter_mut().for_each(|ty| ty.limit_nesting(inner));
            }
            Self::Function(parameters, result) => {
                parameters.iter_mut().chain([&mut **result]).for_each(|ty| ty.limit_nesting(inner));
            }
            Self::Object(members) => members.iter_mut().for_each(|(_, ty)| ty.limit_nesting(inner)),
            Self::OneOf(types) => types.iter_mut().for_each(|ty| ty.limit_nesting(inner)),
            Self::Part(_, whole) | Self::Parameter(whole, _) => whole.limit_nesting(inner),
        }
    }

    /// The name and the arguments of a type that is written out by name.
    pub fn named(&self) -> Option<(&NameRef, &[TypeHint])> {
        match self {
            Self::Named(name) => Some((name, &[])),
            Self::Generic(name, arguments) => Some((name, arguments)),
            _ => None,
        }
    }
}

impl From<NameRef> for TypeHint {
    fn from(name: NameRef) -> Self {
        Self::Named(name)
    }
}

/// A part of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Part {
    /// What is there if all went well: `value?`, `Some(it)`, `Ok(it)`.
    Success,
    /// What went wrong: `Err(it)`.
    Failure,
    /// What iterating over it gives.
    Element,
    /// What an index picks: `value[key]`.
    Indexed,
    /// The n-th part of a tuple.
    Place(u8),
}

/// A complete, AST-shaped piece of a file: a declaration with its body-bearing children collapsed to
/// signatures, or a root statement, import or comment. Its text is a view of the source:
/// [`FileFacts::chunk_text`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chunk {
    /// What it is.
    pub kind: ChunkKind,
    /// The symbol's name, the imported module, or the statement's first words.
    pub name: Box<str>,
    /// The declaration it shows; `None` for statements, imports and comments.
    pub symbol: Option<LocalSymbol>,
    /// The chunk it stands in: that of the nearest enclosing declaration, or the root statement around it.
    pub parent: Option<LocalChunk>,
    /// All of it, uncollapsed: whole lines without the last one's end, except where it shares its first or
    /// last line with other code.
    pub span: Span,
    /// The lines of `span`.
    pub lines: LineRange,
    /// The imports that the chunk's own code names, in source order.
    pub imports: Box<[LocalImport]>,
}

/// Something wrong with a file's text. The facts around it are kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// 1-based line.
    pub line: u32,
    /// What is wrong.
    pub message: Box<str>,
}

impl FileFacts {
    /// The declarations around `symbol`, innermost first, without itself.
    pub fn ancestors(&self, symbol: LocalSymbol) -> impl Iterator<Item = LocalSymbol> {
        std::iter::successors(self.symbols[symbol].parent, |parent| self.symbols[*parent].parent)
    }

    /// How many declarations enclose `symbol`; 0 at the root.
    pub fn depth(&self, symbol: LocalSymbol) -> usize {
        self.ancestors(symbol).count()
    }

    /// The dotted name from the root: `Outer.inner`.
    pub fn qualified_name(&self, symbol: LocalSymbol) -> String {
        let mut names: Vec<&str> =
            self.ancestors(symbol).map(|ancestor| &*self.symbols[ancestor].name).collect();
        names.reverse();
        names.push(&self.symbols[symbol].name);
        names.join(".")
    }

    /// The declarations whose stubs stand in a chunk's text, in source order: its children with a body and a
    /// chunk of their own. O(declarations in the chunk).
    pub fn collapsed(&self, chunk: LocalChunk) -> impl Iterator<Item = LocalSymbol> {
        let Chunk { span, symbol, .. } = self.chunks[chunk];
        let symbols = self.symbols.as_slice();
        let first = match symbol {
            Some(symbol) => symbol.index() + 1,
            None => symbols.partition_point(|declaration| declaration.span.start < span.start),
        };
        // What starts before `at` stands inside a child that is collapsed already.
        let mut at = span.start;
        symbols[first..]
            .iter()
            .enumerate()
            .map(move |(offset, declaration)| (LocalSymbol::new(first + offset), declaration))
            .take_while(move |(_, declaration)| span.contains(declaration.span))
            .filter(move |(id, declaration)| {
                let has_chunk = self.chunks[declaration.chunk].symbol == Some(*id);
                let is_stub = declaration.body.is_some() && has_chunk && declaration.span.start >= at;
                if is_stub {
                    at = declaration.span.end;
                }
                is_stub
            })
            .map(|(id, _)| id)
    }

    /// The text of a chunk, piece by piece: its source, in which each [collapsed](Self::collapsed) child is
    /// its signature and `stub`, the language's end of a declaration without a body. This is what is ranked
    /// and embedded. Pieces end where words end.
    ///
    /// # Panics
    /// If `source` is not the text that the facts were taken from.
    pub fn for_each_piece<'a>(
        &'a self,
        chunk: LocalChunk,
        source: &'a str,
        stub: &'a str,
        mut visit: impl FnMut(&'a str),
    ) {
        let span = self.chunks[chunk].span;
        let mut at = span.start;
        for child in self.collapsed(chunk) {
            let child = &self.symbols[child];
            visit(Span::new(at, child.span.start).text(source));
            visit(&child.signature);
            at = child.span.end;
            // In a list, what separates its elements ends the declaration too.
            if !source[at as usize..].starts_with([',', ';']) {
                visit(stub);
            }
        }
        visit(Span::new(at, span.end).text(source));
    }

    /// The text of a chunk; see [`FileFacts::for_each_piece`].
    ///
    /// # Panics
    /// If `source` is not the text that the facts were taken from.
    pub fn chunk_text(&self, chunk: LocalChunk, source: &str, stub: &str) -> String {
        let mut text = String::new();
        self.for_each_piece(chunk, source, stub, |piece| text.push_str(piece));
        text
    }

    /// The declarations inside `symbol`, at any depth, in source order.
    pub fn descendants(&self, symbol: LocalSymbol) -> impl Iterator<Item = LocalSymbol> {
        let first = symbol.index() + 1;
        let span = self.symbols[symbol].span;
        let inside = self.symbols.as_slice()[first..].iter().take_while(move |it| span.contains(it.span));
        (first..first + inside.count()).map(LocalSymbol::new)
    }

    /// The declarations whose parent is `symbol`, in source order. O(descendants): they follow their parent.
    pub fn children(&self, symbol: LocalSymbol) -> impl Iterator<Item = LocalSymbol> {
        self.descendants(symbol).filter(move |descendant| self.symbols[*descendant].parent == Some(symbol))
    }
}
