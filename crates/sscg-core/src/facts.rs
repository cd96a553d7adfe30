//! Facts extracted from one file in isolation.
//!
//! [`FileFacts`] is a pure function of (file extension, text, extractor version). It holds no path, so the store
//! finds the facts of a moved file, or of a branch that is checked out again, by content. Names are kept as written,
//! with the binding of their first segment in the file's own scopes ([`Head`]). Linking resolves them across files.
//!
//! The types derive serde for the facts store. That encoding is private to one extractor version and is not a wire
//! format.

use bitflags::bitflags;
use serde::{Deserialize, Serialize};

use crate::{
    ChunkKind, Flow, Id, IndexVec, LineRange, LocalCall, LocalChunk, LocalImport, LocalSymbol, Relation,
    Span, SymbolKind,
};

/// Facts of one file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileFacts {
    /// Number of lines.
    pub lines: u32,
    /// Comment or docstring that describes the file as a whole, without its markers.
    pub doc: Option<Box<str>>,
    /// Package or namespace that the file declares for all its declarations, as written: `main`, `com.example.text`.
    pub package: Option<Box<str>>,
    /// Declarations in source order, each parent before its children.
    pub symbols: IndexVec<LocalSymbol, Symbol>,
    /// Imports in source order.
    pub imports: IndexVec<LocalImport, Import>,
    /// Declarations that are visible to other files under a different name.
    pub exports: Vec<Export>,
    /// References, in source order.
    pub references: Vec<Reference>,
    /// Chunks in source order, each parent before its children.
    pub chunks: IndexVec<LocalChunk, Chunk>,
    /// Data flow of the file, for languages whose types do not determine call targets.
    pub flow: Flow,
    /// Problems found in the text.
    pub diagnostics: Vec<Diagnostic>,
}

impl FileFacts {
    /// Releases unused capacity. Facts are built once, and the facts of all files of a project can be in memory at
    /// once.
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

    /// Replaces type hints nested more than 1000 levels deep by [`TypeHint::Unknown`], so that consumers can recurse
    /// over types without a stack overflow. Dropping a hint recurses too, so the stack must suffice for the present
    /// depth. O(facts).
    pub fn limit_nesting(&mut self) {
        for symbol in self.symbols.iter_mut() {
            let bounds = symbol.bounds.iter_mut().map(|bound| &mut bound.ty);
            let types = symbol.ty.iter_mut().chain(&mut symbol.parameters).chain(bounds);
            types.for_each(|ty| ty.limit_nesting(MAX_HINT_NESTING));
        }
        for Reference { target, first_argument, argument_types, type_arguments, .. } in &mut self.references {
            target.limit_nesting(MAX_HINT_NESTING);
            first_argument.iter_mut().for_each(|ty| ty.limit_nesting(MAX_HINT_NESTING));
            argument_types.iter_mut().for_each(|ty| ty.limit_nesting(MAX_HINT_NESTING));
            type_arguments.iter_mut().for_each(|ty| ty.limit_nesting(MAX_HINT_NESTING));
        }
    }
}

/// Maximum nesting depth of type hints; deeper than any real code, method chains included.
const MAX_HINT_NESTING: usize = 1_000;

/// Declaration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Symbol {
    /// Declared name. An implementation block has the name of its self type.
    pub name: Box<str>,
    /// Kind of the declaration.
    pub kind: SymbolKind,
    /// Enclosing declaration.
    pub parent: Option<LocalSymbol>,
    /// Type that a member declared outside of it belongs to: `Stack` in `func (s *Stack) Push()`, `void Stack::push()`.
    pub receiver: Option<NameRef>,
    /// Whole declaration, with the comments, attributes and decorators attached to it.
    pub span: Span,
    /// Lines of `span`.
    pub lines: LineRange,
    /// Line of the name, the target of an editor's jump to definition.
    pub name_line: u32,
    /// Part that a stub elides: a function's block, a class's body. `None` if there is none.
    pub body: Option<Span>,
    /// Declaration without its body, on one line, without attributes and trailing punctuation.
    pub signature: Box<str>,
    /// Documentation comment without its markers.
    pub doc: Option<Box<str>>,
    /// True if other files can name the declaration.
    pub exported: bool,
    /// Keywords that change what the declaration means.
    pub modifiers: Modifiers,
    /// Type parameters, in order.
    pub type_parameters: Box<[TypeParameter]>,
    /// Attributes and decorators attached to the declaration, each as written, in order.
    pub attributes: Box<[Span]>,
    /// Condition for conditional compilation, on one line: `not(feature = "std")` for `#[cfg(not(feature = "std"))]`.
    pub condition: Option<Box<str>>,
    /// Type as written. For a field, constant or variable: its own. For a function: its return type. For an
    /// implementation block: its self type. For a Rust variant with values: the tuple of their types. For a class or
    /// interface: the bases that are computed from other types (`Omit<Base, "id">`); in C#, all its bases.
    pub ty: Option<TypeHint>,
    /// Types of a function's parameters, in order; empty if the text has no useful ones.
    pub parameters: Box<[TypeHint]>,
    /// Names of a function's parameters, in order, where calls may use them; empty in other languages.
    pub parameter_names: Box<[Box<str>]>,
    /// Number of parameters for which a call must pass an argument, where `parameter_names` are known.
    pub required_parameters: u8,
    /// Bounds on type parameters, its own or those of enclosing declarations.
    pub bounds: Box<[Bound]>,
    /// Chunk that shows the declaration: its own, or that of the nearest enclosing declaration.
    pub chunk: LocalChunk,
}

/// Type parameter of a declaration: `T extends Entity = User`, `T: Read + 'a`, `const N: usize`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeParameter {
    /// Name as written, including a lifetime's tick or a Python star.
    pub name: Box<str>,
    /// Bound, on one line; for a constant parameter, its type.
    pub constraint: Option<Box<str>>,
    /// Default, on one line.
    pub default: Option<Box<str>>,
}

/// Bound or default of a type parameter, or of an associated type of one: `T: Read`, `where T::Item: Debug`,
/// `E = Error`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// Type parameter as written.
    pub parameter: Box<str>,
    /// Required or default type.
    pub ty: TypeHint,
}

bitflags! {
    /// Keywords and marks that change the meaning of a declaration.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(transparent)]
    pub struct Modifiers: u32 {
        /// `async`.
        const ASYNC = 1;
        /// `static`, `@staticmethod`, `@classmethod`, a Rust function without `self`, or an unannotated assignment in
        /// the body of a Python class.
        const STATIC = 1 << 1;
        /// `abstract`, a required trait function, `@abstractmethod`, or a Python class with base `ABC`.
        const ABSTRACT = 1 << 2;
        /// `unsafe`.
        const UNSAFE = 1 << 3;
        /// `const fn`, `const enum`.
        const CONST = 1 << 4;
        /// Default export of its file.
        const DEFAULT = 1 << 5;
        /// Part of test builds only: `#[test]`, `#[cfg(test)]`.
        const TEST = 1 << 6;
        /// Property with a getter or setter function.
        const ACCESSOR = 1 << 7;
        /// Generator.
        const GENERATOR = 1 << 8;
        /// `readonly`, `Final`.
        const READONLY = 1 << 9;
        /// `private`, `#name`, or a Python name with two leading underscores.
        const PRIVATE = 1 << 10;
        /// `protected`, or a Python member with one leading underscore.
        const PROTECTED = 1 << 11;
        /// `override`, `@override`.
        const OVERRIDE = 1 << 12;
        /// Optional: `name?: T`.
        const OPTIONAL = 1 << 13;
        /// Declaration of something defined elsewhere: `declare`, an item of an `extern` block.
        const DECLARE = 1 << 14;
        /// One of several signatures of one function: a TypeScript overload, `@overload`.
        const OVERLOAD = 1 << 15;
        /// `extern "C" fn`.
        const EXTERN = 1 << 16;
        /// `mut`: a Rust `static mut`.
        const MUT = 1 << 17;
        /// Function whose last parameter takes any number of arguments: `args ...string`, `params`.
        const VARIADIC = 1 << 18;
        /// One of several parts of a declaration: a C# `partial` type.
        const PARTIAL = 1 << 19;
        /// Function called like a member of its first parameter: C# `this T value`.
        const EXTENSION = 1 << 20;
        /// Enumeration whose members are names of the scope around it: a C `enum`.
        const UNSCOPED = 1 << 21;
        /// Function whose variable gets another value: `let run = () => {}; run = other;`.
        const REASSIGNED = 1 << 22;
        /// Function without a name that is passed to a call. No code refers to it by the name that it has here.
        const ANONYMOUS = 1 << 23;
    }
}

/// Name bound by an import, or a side-effect import.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Import {
    /// Kind of binding.
    pub kind: ImportKind,
    /// Imported module as written: `./auth`, `crate::io`, `..models`.
    pub module: Box<str>,
    /// Name in that module, for [`ImportKind::Named`]; empty otherwise.
    pub name: Box<str>,
    /// Name bound in this file; empty if none.
    pub local: Box<str>,
    /// True if this file re-exports the name.
    pub reexport: bool,
    /// Condition for conditional compilation; see [`Symbol::condition`].
    pub condition: Option<Box<str>>,
    /// Declaration whose scope holds the binding; `None` for the file's scope.
    pub scope: Option<LocalSymbol>,
    /// Whole statement, shared by all imports of the statement.
    pub span: Span,
    /// Line of the name.
    pub line: u32,
}

/// Name under which other files see a declaration that has a different name in this file: `export { local as name }`,
/// `exports.name = local`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Export {
    /// Name visible to other files.
    pub name: Box<str>,
    /// Exported declaration.
    pub symbol: LocalSymbol,
}

impl Export {
    /// Name of a module's whole export, its value when used as a value: `export = value`, `module.exports = value`.
    pub const WHOLE: &str = "export=";
}

/// Kind of binding made by an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ImportKind {
    /// One name of the module.
    Named,
    /// Default export of the module.
    Default,
    /// The module itself.
    Module,
    /// Every public name of the module (glob import).
    Glob,
    /// No name: the module is imported for its side effects.
    Effects,
}

/// Reference to a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// Relation between the enclosing declaration and the target.
    pub relation: Relation,
    /// Innermost enclosing declaration; `None` at the file's top level.
    pub from: Option<LocalSymbol>,
    /// Referenced name.
    pub target: NameRef,
    /// Line of the last segment.
    pub line: u32,
    /// Number of arguments of a call or construction, at most 255. Where types of one name may differ in the number of
    /// their type parameters (C#), a use or construction of a type has the number of type arguments. `None` for other
    /// references, and where the text leaves it open (`f(*args)`).
    pub arguments: Option<u8>,
    /// Type of the first argument of a call by a path through a type or trait, where the language selects the callee
    /// by it: `Trait::method(value)`, `Type::from(value)`.
    pub first_argument: Option<Box<TypeHint>>,
    /// Types of the arguments, where the language selects among functions of one name by them; empty if no type is
    /// known. A named argument is an object with one value; a function literal is a function with the types that are
    /// written.
    pub argument_types: Box<[TypeHint]>,
    /// Type arguments of a call, as written, where the language selects among functions of one name by their number.
    pub type_arguments: Box<[TypeHint]>,
    /// True if found among the tokens of a macro, which may expand them in any way or drop them.
    pub in_macro: bool,
    /// Call in the file's [`Flow`], if the reference is its callee.
    pub call: Option<LocalCall>,
}

impl Reference {
    /// Calls a function for the position of each call on which the reference depends; see [`TypeHint::Call`].
    pub fn for_each_call(&mut self, visit: &mut impl FnMut(&mut u32)) {
        self.target.for_each_call(visit);
        let types = self.argument_types.iter_mut().chain(&mut self.type_arguments);
        types.for_each(|ty| ty.for_each_call(visit));
    }
}

/// Name as written, with the binding of its first segment in the scopes of its file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NameRef {
    /// Binding of the first segment.
    pub head: Head,
    /// Segments: `["self", "inner", "poll"]` for `self.inner.poll()`, `["Vec", "new"]` for `Vec::new()`. The segment
    /// of a macro ends in `!`. Never empty.
    pub path: Box<[Box<str>]>,
}

impl NameRef {
    fn limit_nesting(&mut self, levels: usize) {
        if let Head::Local(Some(ty)) | Head::Value(Some(ty)) = &mut self.head {
            ty.limit_nesting(levels);
        }
    }

    /// Calls a function for the position of each call in the types of the name's head.
    fn for_each_call(&mut self, visit: &mut impl FnMut(&mut u32)) {
        if let Head::Local(Some(ty)) | Head::Value(Some(ty)) = &mut self.head {
            ty.for_each_call(visit);
        }
    }

    /// Creates a name without a binding in its file.
    pub fn free<'a>(path: impl IntoIterator<Item = &'a str>) -> Self {
        Self::new(Head::Free, path)
    }

    /// Creates a name with the given binding and segments.
    ///
    /// # Panics
    /// If `path` is empty.
    pub fn new<'a>(head: Head, path: impl IntoIterator<Item = &'a str>) -> Self {
        let path: Box<[Box<str>]> = path.into_iter().map(Box::from).collect();
        assert!(!path.is_empty(), "a name has at least one segment");
        Self { head, path }
    }

    /// Returns the last segment: the referenced name.
    pub fn name(&self) -> &str {
        self.path.last().expect("a name has at least one segment")
    }
}

/// Binding of the first segment of a name in the scopes of its file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Head {
    /// Unbound in this file: a global, a prelude name, a name from a glob import, a crate or package.
    Free,
    /// Declaration of this file.
    Symbol(LocalSymbol),
    /// Import of this file.
    Import(LocalImport),
    /// Enclosing type or an instance of it: `self`, `this`, `cls`, `Self`.
    SelfType,
    /// Supertype of the enclosing type: `super.f()`, `super().f()`.
    Super,
    /// Parameter or local variable, with its type if the text gives one.
    Local(Option<Box<TypeHint>>),
    /// Unnamed value whose members the segments name, with its type if the text gives one: `["bar"]` for
    /// `foo().bar()`.
    Value(Option<Box<TypeHint>>),
    /// Type parameter of an enclosing declaration.
    TypeParameter,
}

/// Type of a value as far as the text gives it. A hint is resolved in the scope of the declaration that it belongs
/// to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TypeHint {
    /// Type without known members: a number, a type parameter without bounds.
    Unknown,
    /// Type written out: an annotation, a cast, a struct literal.
    Named(NameRef),
    /// Type written out with arguments, bindings of associated types included: `Map<string, User>`, `Result<T, E>`.
    /// In TypeScript, an array type is `Array` of its element type. A Rust tuple is named [`TypeHint::TUPLE`], a
    /// slice or array [`TypeHint::SLICE`]. References and pointers that stand for their pointee are left out.
    Generic(NameRef, Box<[TypeHint]>),
    /// Function type: parameter types and return type.
    Function(Box<[TypeHint]>, Box<TypeHint>),
    /// Named values: `{ left: Node, right: Node }`.
    Object(Box<[(Box<str>, TypeHint)]>),
    /// Union or intersection of these types.
    OneOf(Box<[TypeHint]>),
    /// Type of the value that this name denotes.
    Value(NameRef),
    /// Result of calling this name: a function's return value, or an instance of a class.
    Result(NameRef),
    /// Part of another value.
    Part(Part, Box<TypeHint>),
    /// Value passed as this argument, counted from 0, in a call to the name.
    Argument(NameRef, u8),
    /// Parameter, counted from 0, of a function of this type.
    Parameter(Box<TypeHint>, u8),
    /// Closure parameter: the n-th parameter that calling this name passes to its closure argument:
    /// `items.iter().map(|item| ..)`.
    ClosureParameter(NameRef, u8),
    /// Result of the call at this position among the references of the file.
    Call(u32),
    /// Value that the call at this position among the references of the file takes as this argument, counted from 0.
    Passed(u32, u8),
}

impl TypeHint {
    /// Name of a tuple type.
    pub const TUPLE: &str = "()";

    /// Name of the member that is run where a value is called: the call signature of an interface.
    pub const CALL: &str = "()";
    /// Name under which an object has another one whose members it copies.
    pub const SPREAD: &str = "...";
    /// Name of a slice or array type.
    pub const SLICE: &str = "[]";
    /// Name of the type of a value that may be missing, with the type of the value as its argument.
    pub const NULLABLE: &str = "?";
    /// Name of the type of a value that is the result of an asynchronous function literal.
    pub const ASYNC: &str = "async";
    /// Name of the type of a value without a type of its own, which fits any object: `null`.
    pub const NULL: &str = "null";
    /// Name of the type of a new object of the expected type: `new()`.
    pub const NEW: &str = "new";
    /// Name of the type of a test's result, with the type that it asserts as its argument: `value is Queue`.
    pub const PREDICATE: &str = "is";
    /// Name of the type of no value.
    pub const VOID: &str = "void";
    /// Name of the type of an expression that does not return: `throw`.
    pub const NEVER: &str = "never";

    fn limit_nesting(&mut self, levels: usize) {
        let Some(inner) = levels.checked_sub(1) else {
            *self = Self::Unknown;
            return;
        };
        match self {
            Self::Unknown | Self::Call(_) | Self::Passed(..) => {}
            Self::Named(name)
            | Self::Value(name)
            | Self::Result(name)
            | Self::Argument(name, _)
            | Self::ClosureParameter(name, _) => name.limit_nesting(inner),
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

    /// Calls a function for the position of each call in the hint.
    fn for_each_call(&mut self, visit: &mut impl FnMut(&mut u32)) {
        match self {
            Self::Unknown => {}
            Self::Call(call) | Self::Passed(call, _) => visit(call),
            Self::Named(name)
            | Self::Value(name)
            | Self::Result(name)
            | Self::Argument(name, _)
            | Self::ClosureParameter(name, _) => name.for_each_call(visit),
            Self::Generic(name, arguments) => {
                name.for_each_call(visit);
                arguments.iter_mut().for_each(|ty| ty.for_each_call(visit));
            }
            Self::Function(parameters, result) => {
                parameters.iter_mut().chain([&mut **result]).for_each(|ty| ty.for_each_call(visit));
            }
            Self::Object(members) => members.iter_mut().for_each(|(_, ty)| ty.for_each_call(visit)),
            Self::OneOf(types) => types.iter_mut().for_each(|ty| ty.for_each_call(visit)),
            Self::Part(_, whole) | Self::Parameter(whole, _) => whole.for_each_call(visit),
        }
    }

    /// Returns the name and arguments of a type that is written out by name.
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

/// Part of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Part {
    /// Success payload: `value?`, `Some(it)`, `Ok(it)`.
    Success,
    /// Error payload: `Err(it)`.
    Failure,
    /// Element yielded by iteration.
    Element,
    /// Element selected by an index: `value[key]`.
    Indexed,
    /// N-th element of a tuple.
    Place(u8),
    /// First of two values, as the type that it asserts if it is the result of a test, otherwise the second.
    Asserted,
}

/// Complete, AST-shaped piece of a file: a declaration with its body-bearing children collapsed to signatures, or a
/// top-level statement, import or comment. Its text is a view of the source: [`FileFacts::chunk_text`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chunk {
    /// Kind of the chunk.
    pub kind: ChunkKind,
    /// Name of the symbol, the imported module, or the first words of the statement.
    pub name: Box<str>,
    /// Declaration that the chunk shows; `None` for statements, imports and comments.
    pub symbol: Option<LocalSymbol>,
    /// Enclosing chunk: that of the nearest enclosing declaration, or the enclosing top-level statement.
    pub parent: Option<LocalChunk>,
    /// Span of the uncollapsed chunk: whole lines without the final newline, except where it shares its first or last
    /// line with other code.
    pub span: Span,
    /// Lines of `span`.
    pub lines: LineRange,
    /// Imports that the chunk's own code uses, in source order.
    pub imports: Box<[LocalImport]>,
}

/// Problem in a file's text. The facts around it are kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// 1-based line.
    pub line: u32,
    /// Description of the problem.
    pub message: Box<str>,
}

impl FileFacts {
    /// Returns the declarations that enclose `symbol`, innermost first, without itself.
    pub fn ancestors(&self, symbol: LocalSymbol) -> impl Iterator<Item = LocalSymbol> {
        std::iter::successors(self.symbols[symbol].parent, |parent| self.symbols[*parent].parent)
    }

    /// Returns the number of declarations that enclose `symbol`; 0 at the root.
    pub fn depth(&self, symbol: LocalSymbol) -> usize {
        self.ancestors(symbol).count()
    }

    /// Returns the dotted name from the root, receivers included: `Outer.inner`. A function without a name has only the
    /// description of its role.
    pub fn qualified_name(&self, symbol: LocalSymbol) -> String {
        let Symbol { name, modifiers, .. } = &self.symbols[symbol];
        if modifiers.contains(Modifiers::ANONYMOUS) {
            return name.to_string();
        }
        let mut names: Vec<&str> = self.names_around(symbol).collect();
        names.reverse();
        names.push(name);
        names.join(".")
    }

    /// Returns the names of the declarations that enclose a symbol, and of its receiver, innermost first.
    pub(crate) fn names_around(&self, symbol: LocalSymbol) -> impl Iterator<Item = &str> {
        let receiver = |symbol: LocalSymbol| {
            let receiver = self.symbols[symbol].receiver.iter();
            receiver.flat_map(|receiver| receiver.path.iter().rev().map(|segment| &**segment))
        };
        let name = move |ancestor: LocalSymbol| {
            [&*self.symbols[ancestor].name].into_iter().chain(receiver(ancestor))
        };
        receiver(symbol).chain(self.ancestors(symbol).flat_map(name))
    }

    /// Returns the declarations that a chunk's text shows as stubs, in source order: its descendants with a body and
    /// a chunk of their own, outermost only. O(declarations in the chunk).
    pub fn collapsed(&self, chunk: LocalChunk) -> impl Iterator<Item = LocalSymbol> {
        let Chunk { span, symbol, .. } = self.chunks[chunk];
        let symbols = self.symbols.as_slice();
        let first = match symbol {
            Some(symbol) => symbol.index() + 1,
            None => symbols.partition_point(|declaration| declaration.span.start < span.start),
        };
        // A declaration that starts before `at` lies inside a child that is already collapsed.
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

    /// Passes the text of a chunk to `visit`, piece by piece. In the text, each [collapsed](Self::collapsed) child is
    /// replaced by its signature and `stub`, the language's ending of a declaration without a body. This text is
    /// ranked and embedded. Pieces end at word boundaries.
    ///
    /// # Panics
    /// If `source` is not the text that the facts were extracted from.
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
            // In a list, the separator of the elements already ends the declaration.
            if !source[at as usize..].starts_with([',', ';']) {
                visit(stub);
            }
        }
        visit(Span::new(at, span.end).text(source));
    }

    /// Returns the text of a chunk; see [`FileFacts::for_each_piece`].
    ///
    /// # Panics
    /// If `source` is not the text that the facts were extracted from.
    pub fn chunk_text(&self, chunk: LocalChunk, source: &str, stub: &str) -> String {
        let mut text = String::new();
        self.for_each_piece(chunk, source, stub, |piece| text.push_str(piece));
        text
    }

    /// Returns the declarations inside `symbol`, at any depth, in source order.
    pub fn descendants(&self, symbol: LocalSymbol) -> impl Iterator<Item = LocalSymbol> {
        let first = symbol.index() + 1;
        let span = self.symbols[symbol].span;
        let inside = self.symbols.as_slice()[first..].iter().take_while(move |it| span.contains(it.span));
        (first..first + inside.count()).map(LocalSymbol::new)
    }

    /// Returns the declarations whose parent is `symbol`, in source order. O(descendants), because all descendants
    /// directly follow their ancestor.
    pub fn children(&self, symbol: LocalSymbol) -> impl Iterator<Item = LocalSymbol> {
        self.descendants(symbol).filter(move |descendant| self.symbols[*descendant].parent == Some(symbol))
    }
}
