"""Prints what libclang resolves in a C or C++ project, as facts (see `xtask/src/oracle/script.rs`).

    python oracle.py DIR

Translation units are those of a `compile_commands.json` in DIR or in one of its folders; without one, all source files,
with each folder that has headers as an include path. Headers that no unit includes are parsed on their own. The system's
headers are those of the compiler `cc`. What is missing there is tolerated: a function with an error is not `covered`.

- A use counts if the text spells the name: code from the body of a macro has no facts, code in its arguments does.
- A call through a function pointer, and a name in a template that depends on its parameters, is `unknown`. So is each
  name in code that a preprocessor condition excludes.
- The declarations of one function, variable or type are `same`.
- A function-like macro that a function's body uses is called, another macro is a constant. Elsewhere macros are
  `unknown`: most of them are attributes or parts of declarations.
"""

import bisect
import json
import os
import re
import shlex
import subprocess
import sys
from collections import defaultdict
from ctypes import POINTER, Structure, byref, c_int, c_uint, c_void_p, cast

from clang.cindex import Config, Cursor, CursorKind as K, File, Index, SourceLocation, SourceRange
from clang.cindex import TranslationUnit, TranslationUnitLoadError, c_object_p, conf

C_SOURCES = {".c"}
CPP_SOURCES = {".cc", ".cpp", ".cxx", ".c++"}
HEADERS = {".h", ".hh", ".hpp", ".hxx", ".inl", ".ipp"}
KEEP_GOING = 0x200
ASSIGN, LAST_ASSIGN = 22, 32  # CXBinaryOperatorKind
INCREMENTS = {1, 2, 3, 4}  # CXUnaryOperatorKind

RECORDS = {K.STRUCT_DECL, K.UNION_DECL, K.CLASS_DECL, K.CLASS_TEMPLATE, K.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION}
FUNCTIONS = {
    K.FUNCTION_DECL, K.CXX_METHOD, K.CONSTRUCTOR, K.DESTRUCTOR, K.CONVERSION_FUNCTION, K.FUNCTION_TEMPLATE,
}
TYPES = RECORDS | {K.ENUM_DECL, K.TYPEDEF_DECL, K.TYPE_ALIAS_DECL, K.TYPE_ALIAS_TEMPLATE_DECL}
DECLARATIONS = FUNCTIONS | TYPES | {K.FIELD_DECL, K.VAR_DECL}
SCOPES = {K.NAMESPACE, K.LINKAGE_SPEC, K.UNEXPOSED_DECL}
WRAPPERS = {K.UNEXPOSED_EXPR, K.PAREN_EXPR}
CASTS = {
    K.CSTYLE_CAST_EXPR, K.CXX_STATIC_CAST_EXPR, K.CXX_DYNAMIC_CAST_EXPR, K.CXX_REINTERPRET_CAST_EXPR,
    K.CXX_CONST_CAST_EXPR,
}

IN_BODIES = ["calls", "instantiates", "uses_type", "asserts_type", "reads_from", "assigns_to", "uses_constant"]
WORD = re.compile(rb"[A-Za-z_]\w*")
CALLED = re.compile(rb"([A-Za-z_]\w*)\s*\(")
LAST_NAME = re.compile(rb"([A-Za-z_]\w*)\s*(<[^()]*>)?\s*$")
USING = re.compile(rb"\busing\s[\w\s:]*?(\w+)\s*;")
INCLUDE = re.compile(rb'#\s*include\s*["<]([^">]*)[">]')


class RangeList(Structure):
    _fields_ = [("count", c_uint), ("ranges", POINTER(SourceRange))]


def declare_functions():
    """Declares functions of libclang that its Python module leaves out."""
    lib = conf.lib
    position = [SourceLocation, POINTER(c_object_p), POINTER(c_uint), POINTER(c_uint), POINTER(c_uint)]
    lib.clang_getFileLocation.argtypes = position
    lib.clang_getAllSkippedRanges.argtypes = [TranslationUnit]
    lib.clang_getAllSkippedRanges.restype = POINTER(RangeList)
    lib.clang_disposeSourceRangeList.argtypes = [POINTER(RangeList)]
    for name in ("clang_getCursorBinaryOperatorKind", "clang_getCursorUnaryOperatorKind"):
        getattr(lib, name).argtypes = [Cursor]
        getattr(lib, name).restype = c_int
    lib.clang_Cursor_isMacroFunctionLike.argtypes = [Cursor]
    lib.clang_Cursor_isMacroFunctionLike.restype = c_uint
    lib.clang_getSpecializedCursorTemplate.argtypes = [Cursor]
    lib.clang_getSpecializedCursorTemplate.restype = Cursor


class Project:
    """Facts of all translation units, without duplicates."""

    def __init__(self, root):
        self.root = root
        self.texts = {}
        self.walked = set()
        self.seen_files = set()
        self.edges = {}
        self.unknown = {}
        self.covered = defaultdict(set)
        self.definitions = defaultdict(set)
        self.declarations = defaultdict(set)
        # Declarations of another kind and the same name: `typedef struct node { .. } node;`.
        self.aliases = set()
        # Starts and ends of declarations, and of the bodies of functions, by file.
        self.spans = defaultdict(set)
        self.bodies = defaultdict(set)
        self.errors = defaultdict(set)
        self.macro_uses = set()
        self.skipped = defaultdict(set)

    def relative(self, path):
        path = os.path.realpath(path)
        return path[len(self.root) + 1:].replace(os.sep, "/") if path.startswith(self.root + os.sep) else None

    def text(self, path):
        if path not in self.texts:
            with open(os.path.join(self.root, path), "rb") as file:
                self.texts[path] = file.read()
        return self.texts[path]

    def print(self):
        """Prints the facts, once all units are known."""
        declarations = Spans(self.spans)
        self.add_imported_names()
        self.add_excluded_code(declarations)
        self.add_macros(declarations, Spans(self.bodies))
        failing = {declarations.around(path, at) for path, offsets in self.errors.items() for at in offsets}
        definition = {usr: min(places) for usr, places in self.definitions.items() if len(places) == 1}
        for usr, places in sorted(self.declarations.items()):
            for place in sorted(places - self.definitions[usr]):
                if usr in definition:
                    print_fact(kind="same", place=as_json(place), definition=as_json(definition[usr]))
        for alias, record in sorted(self.aliases):
            print_fact(kind="same", place=as_json(alias), definition=as_json(record))
        for place, relations in sorted(self.covered.items()):
            if place not in failing:
                print_fact(kind="covered", **as_json(place), relations=sorted(relations))
        for (relation, source, (target, usr)), at in sorted(self.edges.items()):
            if len(self.definitions.get(usr, ())) > 1:
                # Several programs define it; only the linker knows which one this is.
                self.unknown.setdefault((relation, source, target[2]), at)
            else:
                target = as_json(definition.get(usr, target))
                print_fact(kind="edge", relation=relation, source=as_json(source), target=target, at=at)
        for (relation, source, name), at in sorted(self.unknown.items()):
            print_fact(kind="unknown", relation=relation, source=as_json(source), name=name, at=at)

    def add_imported_names(self):
        """Names that a file brings in from a namespace: only included files are facts."""
        for place, relations in self.covered.items():
            for name in USING.findall(self.text(place[0])) if "imports" in relations else ():
                self.unknown.setdefault(("imports", place, name.decode()), 1)

    def add_excluded_code(self, declarations):
        for path, ranges in self.skipped.items():
            starts = sorted(start for start, _, _ in self.spans[path])
            text = self.text(path)
            for start, end in ranges:
                # A file that is included again is skipped as a whole.
                at = bisect.bisect_left(starts, start)
                if at < len(starts) and starts[at] < end:
                    continue
                place = declarations.around(path, start)
                line = text.count(b"\n", 0, start) + 1
                if place:
                    for name in set(WORD.findall(text[start:end])):
                        for relation in IN_BODIES:
                            self.unknown.setdefault((relation, place, name.decode()), line)
                for name in INCLUDE.findall(text[start:end]):
                    name = name.decode(errors="replace").rsplit("/")[-1]
                    self.unknown.setdefault(("imports", (path, 0, ""), name), line)

    def add_macros(self, declarations, bodies):
        for path, start, end, line, relation, target in self.macro_uses:
            source = bodies.around(path, start)
            if source:
                self.edges.setdefault((relation, source, (target, "")), line)
            else:
                source = declarations.around(path, start) or (path, 0, "")
                self.unknown.setdefault((relation, source, target[2]), line)
            # Arguments may be dropped or turned into text.
            for name in CALLED.findall(self.text(path)[start:end]):
                self.unknown.setdefault(("calls", source, name.decode()), line)


class Spans:
    """Declarations by the stretch of text they take."""

    def __init__(self, by_path):
        self.by_path = {path: sorted(spans) for path, spans in by_path.items()}

    def around(self, path, offset):
        """The innermost declaration around a position."""
        spans = self.by_path.get(path, [])
        before = spans[:bisect.bisect_right(spans, (offset, float("inf"), ()))]
        around = [(end - start, place) for start, end, place in before if offset < end]
        return min(around)[1] if around else None


def as_json(place):
    return dict(zip(("path", "line", "name"), place))


def print_fact(**fact):
    print(json.dumps(fact))


class Unit:
    """One translation unit."""

    def __init__(self, project, unit):
        self.project = project
        self.unit = unit
        self.paths = {}

    def position(self, location):
        """Path, offset and line where the text of a location stands; the use of a macro for what its body expands to."""
        handle, line, column, offset = c_object_p(), c_uint(), c_uint(), c_uint()
        conf.lib.clang_getFileLocation(location, byref(handle), byref(line), byref(column), byref(offset))
        if not handle:
            return None
        key = cast(handle, c_void_p).value
        if key not in self.paths:
            self.paths[key] = self.project.relative(File(handle).name)
        path = self.paths[key]
        return path and (path, offset.value, line.value)

    def spelled(self, location, name):
        """The position, if the text there is the name."""
        at = self.position(location)
        if not at or not name:
            return None
        text, end = self.project.text(at[0]), at[1] + len(name.encode())
        is_name = text[at[1]:end] == name.encode() and not text[end:end + 1].isalnum() and text[end:end + 1] != b"_"
        return at if is_name else None

    def place(self, cursor):
        """The place of a declaration that the text of the project spells out."""
        name = name_of(cursor)
        at = self.spelled(cursor.location, name)
        return at and (at[0], at[2], name)

    def target(self, cursor):
        """The place of a declaration, and the name for its definition if that is in another translation unit."""
        template = conf.lib.clang_getSpecializedCursorTemplate(cursor)
        cursor = template if template is not None and template.kind.is_declaration() else cursor
        place = self.place(cursor)
        if not place:
            return None
        usr = cursor.get_usr()
        definition = cursor.get_definition()
        defined = definition and self.place(definition)
        if defined:
            self.project.definitions[usr].add(defined)
        self.project.declarations[usr].add(place)
        return (defined, "") if defined else (place, usr)

    def run(self):
        project = self.project
        for cursor in self.unit.cursor.get_children():
            if cursor.kind == K.MACRO_INSTANTIATION:
                self.macro(cursor)
            elif cursor.kind == K.INCLUSION_DIRECTIVE:
                self.include(cursor)
            elif cursor.kind != K.MACRO_DEFINITION:
                self.top(cursor)
        ranges = conf.lib.clang_getAllSkippedRanges(self.unit)
        for at in range(ranges.contents.count):
            skipped = ranges.contents.ranges[at]
            start, end = self.position(skipped.start), self.position(skipped.end)
            if start and end and start[0] == end[0]:
                project.skipped[start[0]].add((start[1], end[1]))
        conf.lib.clang_disposeSourceRangeList(ranges)
        for diagnostic in self.unit.diagnostics:
            at = diagnostic.severity >= 3 and self.position(diagnostic.location)
            if at:
                project.errors[at[0]].add(at[1])
        project.seen_files.update(path for path in self.paths.values() if path)

    def include(self, cursor):
        at = self.position(cursor.location)
        if not at:
            return
        source = (at[0], 0, "")
        self.project.covered[source].add("imports")
        try:
            target = self.project.relative(cursor.get_included_file().name)
        except AssertionError:
            target = None  # The header is missing.
            name = os.path.basename(cursor.spelling)
            self.project.unknown.setdefault(("imports", source, name), at[2])
        if target:
            self.project.edges.setdefault(("imports", source, ((target, 0, ""), "")), at[2])

    def macro(self, cursor):
        at = self.spelled(cursor.location, cursor.spelling)
        definition = at and cursor.referenced
        target = definition and self.place(definition)
        text = at and self.project.text(at[0])
        if target and not text[text.rfind(b"\n", 0, at[1]) + 1:at[1]].lstrip().startswith(b"#"):
            relation = "calls" if conf.lib.clang_Cursor_isMacroFunctionLike(definition) else "uses_constant"
            end = self.position(cursor.extent.end)
            end = end[1] if end and end[0] == at[0] else at[1]
            self.project.macro_uses.add((at[0], at[1], end, at[2], relation, target))

    def top(self, cursor):
        at = self.position(cursor.location)
        if cursor.kind in SCOPES:
            for child in cursor.get_children():
                if child.kind.is_declaration():
                    self.top(child)
            return
        if not at:
            return
        key = (at[0], at[1], cursor.kind.value)
        if key not in self.project.walked:
            self.project.walked.add(key)
            self.walk(cursor, None, None)

    # -- Code ----------------------------------------------------------------------------------------------

    def walk(self, cursor, source, parent, role=None):
        kind = cursor.kind
        if kind in DECLARATIONS and not (kind == K.VAR_DECL and source and source[1]):
            source = self.declare(cursor, source)
        if kind == K.CALL_EXPR:
            self.call(cursor, source)
        elif kind in (K.TYPE_REF, K.TEMPLATE_REF):
            self.type_use(cursor, source, parent)
        elif kind == K.CXX_BASE_SPECIFIER:
            self.base(cursor, source)
            return
        elif kind == K.MEMBER_REF_EXPR:
            self.member(cursor, source, role)
        elif kind == K.MEMBER_REF:
            for relation in ("reads_from", "assigns_to"):
                self.leave_open(relation, source, cursor.spelling, cursor)
        role = role if kind in WRAPPERS else None
        children = list(cursor.get_children())
        for at, child in enumerate(children):
            self.walk(child, source, cursor, role or role_of(cursor, at))

    def declare(self, cursor, source):
        """The source of uses in a declaration: its place if the text spells it out, and whether it is in a body."""
        place = self.place(cursor)
        in_body = cursor.kind in FUNCTIONS or bool(source and source[1] and cursor.kind not in RECORDS)
        if not place:
            # Made by a macro or without a name: the code belongs to what surrounds it.
            return source if source and cursor.kind not in FUNCTIONS else (None, in_body)
        self.target(cursor)
        if cursor.kind in (K.TYPEDEF_DECL, K.TYPE_ALIAS_DECL):
            record = cursor.underlying_typedef_type.get_declaration()
            known = record.spelling == cursor.spelling and self.target(record)
            if known and known[0] != place:
                self.project.aliases.add((place, known[0]))
        self.add_span(self.project.spans, cursor, place)
        for child in cursor.get_children() if cursor.kind in FUNCTIONS else ():
            if child.kind == K.COMPOUND_STMT:
                self.add_span(self.project.bodies, child, place)
        if cursor.kind in FUNCTIONS:
            self.project.covered[place].update(IN_BODIES)
        elif cursor.kind in RECORDS and cursor.is_definition():
            self.project.covered[place].update(["inherits", "uses_type"])
        else:
            self.project.covered[place].add("uses_type")
        return (place, in_body)

    def add_span(self, spans, cursor, place):
        start, end = self.position(cursor.extent.start), self.position(cursor.extent.end)
        if start and end and start[0] == end[0] == place[0]:
            spans[place[0]].add((start[1], end[1], place))

    def source_place(self, source, at):
        if source and source[0]:
            return source[0]
        return (at[0], at[2], "?")

    def edge(self, relation, source, at, target):
        self.project.edges.setdefault((relation, self.source_place(source, at), target), at[2])

    def leave_open(self, relation, source, name, cursor):
        at = self.position(cursor.location)
        if at and name:
            self.project.unknown.setdefault((relation, self.source_place(source, at), name), at[2])

    def call(self, cursor, source):
        if cursor.referenced is not None and cursor.referenced.kind == K.CONSTRUCTOR:
            # `Type name(1);` and conversions: the class is not named where it is constructed.
            name = name_of(cursor.referenced)
            return self.leave_open("instantiates", source, name, cursor)
        callee = next(cursor.get_children(), None)
        while callee is not None and callee.kind in WRAPPERS:
            callee = next(callee.get_children(), None)
        if callee is None:
            return None
        target = callee.referenced
        if callee.kind in (K.DECL_REF_EXPR, K.MEMBER_REF_EXPR) and target is not None:
            at = self.spelled(callee.location, name_of(target))
            if target.kind in FUNCTIONS:
                known = at and self.target(target)
                if known:
                    self.edge("calls", source, at, known)
            elif at:
                self.leave_open("calls", source, target.spelling, callee)
            return None
        at, end = self.position(callee.extent.start), self.position(callee.extent.end)
        if at and end and at[0] == end[0]:
            name = LAST_NAME.search(self.project.text(at[0])[at[1]:end[1]])
            if name:
                self.leave_open("calls", source, name.group(1).decode(), callee)
                self.leave_open("instantiates", source, name.group(1).decode(), callee)
        return None

    def type_use(self, cursor, source, parent):
        target = cursor.referenced
        if target is None or target.kind not in TYPES:
            return
        at = self.spelled(cursor.location, name_of(target))
        known = at and self.target(target)
        if not known:
            return
        name = name_of(target)
        after = self.project.text(at[0])[at[1] + len(name):][:40].lstrip()
        kind = parent.kind if parent is not None else None
        is_constructed = kind in (K.CXX_NEW_EXPR, K.CXX_FUNCTIONAL_CAST_EXPR) or (
            kind == K.CALL_EXPR and parent.referenced is not None and parent.referenced.kind == K.CONSTRUCTOR
        )
        if after.startswith(b"::") or kind in (K.DECL_REF_EXPR, K.MEMBER_REF_EXPR):
            # Part of a path.
            self.leave_open("uses_type", source, name, cursor)
        elif is_constructed:
            self.edge("instantiates", source, at, known)
            self.leave_open("uses_type", source, name, cursor)
        elif kind in CASTS:
            self.edge("asserts_type", source, at, known)
            self.leave_open("uses_type", source, name, cursor)
        else:
            self.edge("uses_type", source, at, known)

    def base(self, cursor, source):
        for child in cursor.walk_preorder():
            if child.kind not in (K.TYPE_REF, K.TEMPLATE_REF) or child.referenced is None:
                continue
            at = self.spelled(child.location, name_of(child.referenced))
            known = at and child.referenced.kind in TYPES and self.target(child.referenced)
            if known and is_base(cursor, child, self):
                self.edge("inherits", source, at, known)
            elif at:
                self.leave_open("inherits", source, name_of(child.referenced), child)
            if at:
                self.leave_open("uses_type", source, name_of(child.referenced), child)

    def member(self, cursor, source, role):
        target = cursor.referenced
        if target is None or target.kind != K.FIELD_DECL:
            return
        at = self.spelled(cursor.location, target.spelling)
        known = at and self.target(target)
        if known:
            self.edge("assigns_to" if role else "reads_from", source, at, known)
            if role == "both":
                self.leave_open("reads_from", source, target.spelling, cursor)


def is_base(base, child, unit):
    """True for the name of the base class itself, not for an argument of its template or a part of its path."""
    at, start = unit.position(child.location), unit.position(base.extent.start)
    text = unit.project.text(at[0])
    between = text[start[1]:at[1]] if start and start[0] == at[0] else b""
    after = text[at[1] + len(name_of(child.referenced)):][:40].lstrip()
    return b"<" not in between and not after.startswith(b"::")


def role_of(parent, at):
    """`write` or `both` for an operand that the operator changes."""
    if at == 0 and parent.kind == K.BINARY_OPERATOR:
        return "write" if conf.lib.clang_getCursorBinaryOperatorKind(parent) == ASSIGN else None
    if at == 0 and parent.kind == K.COMPOUND_ASSIGNMENT_OPERATOR:
        return "both"
    if parent.kind == K.UNARY_OPERATOR and conf.lib.clang_getCursorUnaryOperatorKind(parent) in INCREMENTS:
        return "both"
    return None


def name_of(cursor):
    name = cursor.spelling
    return name.split("<")[0] if "<" in name and not name.startswith("operator") else name


# -- Translation units ---------------------------------------------------------------------------------------


def files(root, extensions):
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [os.path.join(folder, name) for name in sorted(names) if os.path.splitext(name)[1] in extensions]
    return found


def database(root):
    """The commands of a compilation database, without those that are no options of a parser."""
    for path in [os.path.join(root, "compile_commands.json"), *(
        os.path.join(root, name, "compile_commands.json") for name in sorted(os.listdir(root))
    )]:
        if not os.path.isfile(path):
            continue
        with open(path, encoding="utf-8") as file:
            entries = json.load(file)
        units = {}
        for entry in entries:
            words = entry.get("arguments") or shlex.split(entry["command"])
            source = os.path.join(entry["directory"], entry["file"])
            words, kept = words[1:], []
            while words:
                word = words.pop(0)
                if word == "-o":
                    words.pop(0)
                elif word not in ("-c", "--", entry["file"], source) and not word.startswith(("-W", "-M")):
                    kept.append(word)
            units.setdefault(os.path.realpath(source), kept + [f"-working-directory={entry['directory']}"])
        return units
    return None


def system_includes(language):
    """The folders of system headers of the compiler, which libclang comes without."""
    probe = ["cc", "-E", "-x", language, "-v", os.devnull]
    try:
        printed = subprocess.run(probe, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}).stderr
    except FileNotFoundError:
        return []
    found = re.search(r"#include <\.\.\.> search starts here:\n(.*?)End of search list", printed, re.S)
    return [option for line in (found.group(1).splitlines() if found else []) for option in ("-isystem", line.strip())]


def main():
    root = os.path.realpath(sys.argv[1])
    declare_functions()
    sys.setrecursionlimit(100_000)
    project = Project(root)
    index = Index.create()
    system = {language: system_includes(language) for language in ("c", "c++")}
    headers = files(root, HEADERS)
    has_cpp = bool(files(root, CPP_SOURCES))
    include = [f"-I{folder}" for folder in sorted({os.path.dirname(path) for path in headers} | {root})]
    standards = {"c": "-std=gnu17", "c++": "-std=gnu++20"}

    def parse(path, options, language):
        options = ["-x", language, "-ferror-limit=0", "-Wno-everything", *options, *system[language]]
        try:
            unit = index.parse(path, options, options=TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD | KEEP_GOING)
        except TranslationUnitLoadError:
            print(f"cannot parse {path}", file=sys.stderr)
            return
        Unit(project, unit).run()

    units = database(root)
    if units is None:
        units = {path: include for path in files(root, C_SOURCES | CPP_SOURCES)}
    for path, options in units.items():
        language = "c" if os.path.splitext(path)[1] in C_SOURCES else "c++"
        if not any(option.startswith("-std=") for option in options):
            options = [standards[language], *options]
        parse(path, options, language)
    for path in headers:
        if project.relative(path) not in project.seen_files:
            is_cpp = has_cpp or os.path.splitext(path)[1] != ".h"
            language = "c++" if is_cpp else "c"
            parse(path, [standards[language], *include], language)
    project.print()


if __name__ == "__main__":
    Config.set_compatibility_check(False)
    main()
