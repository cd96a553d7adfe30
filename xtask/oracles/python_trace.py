"""Runs a package's tests under a tracer and prints which of its functions call which.

    python python_trace.py ROOT OUTPUT PACKAGE... -- PYTEST_ARGUMENT...

Needs Python 3.13: `sys.monitoring` of 3.12 does not report calls with `*` or `**`. PACKAGE is a file or directory
below ROOT whose code counts. Facts go to OUTPUT, one JSON object a line:

- `edge`: the text of the source calls the target: the interpreter executed a call instruction there, and what was
  called is the target itself, seen through bound methods, partial objects and the caches of `functools`. A class
  counts as `instantiates`, the application of a decorator as `decorates` with the decorated declaration as source.
  A generator or coroutine is called where it is made, not where it is resumed.
- `implicit`: the target ran directly below the source without being called by name there; `how` says why:
  `callback` (a function in C called it, as `sorted` does its key), `property`, `operator`, `iteration`, `with`,
  `protocol` (`str(x)` runs `__str__`).

Declarations are named by path, the line of their name, and name; module code has line 0 and no name. Lambdas and
comprehensions count to the function around them, class bodies to the class.
"""

import ast
import dis
import functools
import json
import os
import sys
import types

CALLS = {"CALL", "CALL_FUNCTION_EX", "CALL_KW", "CALL_INTRINSIC_1"}
OPERATIONS = {
    "LOAD_ATTR": "property",
    "LOAD_SUPER_ATTR": "property",
    "STORE_ATTR": "property",
    "DELETE_ATTR": "property",
    "LOAD_METHOD": "property",
    "FOR_ITER": "iteration",
    "GET_ITER": "iteration",
    "UNPACK_SEQUENCE": "iteration",
    "LIST_EXTEND": "iteration",
    "SEND": "iteration",
    "GET_AWAITABLE": "iteration",
    "BEFORE_WITH": "with",
    "BEFORE_ASYNC_WITH": "with",
    "WITH_EXCEPT_START": "with",
}
OPTIMIZED = 0x1  # what functions are, and class bodies are not
GENERATOR = 0x20 | 0x80 | 0x200  # generator, coroutine, asynchronous generator


class Declarations:
    """The declarations of one file by the lines their code objects start on."""

    def __init__(self, path):
        with open(path, "rb") as file:
            tree = ast.parse(file.read(), path)
        self.by_first_line = {}
        self.spans = []
        self.decorated = {}
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        for node in ast.walk(tree):
            if not isinstance(node, kinds):
                continue
            place = (node.lineno, node.name)
            first = min([node.lineno] + [decorator.lineno for decorator in node.decorator_list])
            self.by_first_line[first, node.name] = place
            self.spans.append((node.lineno, node.end_lineno, place))
            for decorator in node.decorator_list:
                is_made = isinstance(decorator, ast.Call)
                named = decorator.func if is_made else decorator
                self.decorated[decorator.lineno] = (place, is_made, ast.unparse(named).split(".")[-1])

    def around(self, line):
        """The innermost declaration whose text holds a line."""
        holding = [(end - start, place) for start, end, place in self.spans if start <= line <= end]
        return min(holding)[1] if holding else (0, "")


class Trace:
    def __init__(self, root, packages):
        self.root = os.path.realpath(root) + os.sep
        self.packages = tuple(os.path.realpath(os.path.join(root, package)) for package in packages)
        self.files = {}
        self.places = {}
        self.instructions = {}
        self.called = {}
        self.edges = {}
        self.implicit = {}

    # -- Where code stands ---------------------------------------------------------------------------------

    def inside(self, filename):
        found = self.files.get(filename)
        if found is None:
            path = os.path.realpath(filename)
            found = any(path == package or path.startswith(package + os.sep) for package in self.packages)
            found = path[len(self.root):] if found and path.endswith(".py") else False
            self.files[filename] = found
        return found

    @functools.lru_cache(maxsize=None)
    def declarations(self, filename):
        return Declarations(filename)

    def place(self, code):
        """The declaration of a code object: path, line of the name, name; None if it is not the package's."""
        try:
            return self.places[code]
        except KeyError:
            pass
        path = self.inside(code.co_filename)
        if path is False:
            place = None
        elif code.co_name == "<module>":
            place = (path, 0, "")
        else:
            declarations = self.declarations(code.co_filename)
            known = declarations.by_first_line.get((code.co_firstlineno, code.co_name))
            place = (path, *(known or declarations.around(code.co_firstlineno)))
        self.places[code] = place
        return place

    def place_of_class(self, cls):
        module = sys.modules.get(getattr(cls, "__module__", None))
        filename = getattr(module, "__file__", None)
        path = self.inside(filename) if filename else False
        if path is False:
            return None
        declarations = self.declarations(filename)
        name = cls.__name__
        lines = sorted(line for line, declared in declarations.by_first_line.values() if declared == name)
        return (path, lines[0], name) if lines else None

    def instruction(self, code, offset):
        known = self.instructions.get(code)
        if known is None:
            known = {}
            for instruction in dis.get_instructions(code):
                name = instruction.opname
                known[instruction.offset] = (name, instruction.arg, instruction.positions.lineno)
            self.instructions[code] = known
        return known.get(offset, ("?", None, None))

    # -- What the interpreter reports ----------------------------------------------------------------------

    def on_call(self, code, offset, callee, argument):
        source = self.place(code)
        if source is None:
            return sys.monitoring.DISABLE
        codes = set()
        # By number, since a frame that is held keeps its variables alive.
        self.called[id(sys._getframe(1))] = (code, offset, codes)
        name, count, line = self.instruction(code, offset)
        decorated, is_made, decorator = self.declarations(code.co_filename).decorated.get(line, (None, False, ""))
        applied = name == "CALL" and count == 0 and isinstance(argument, (types.FunctionType, type))
        for kind, target in self.targets(callee, codes):
            if target is None:
                continue
            # A decorator that a call makes is what is called; to apply the result is a call as well.
            if decorated is not None and (target[2] == decorator if is_made else applied):
                self.edges.setdefault(("decorates", (source[0], *decorated), target), line)
            else:
                self.edges.setdefault((kind, source, target), line)

    def targets(self, callee, codes):
        """The declarations that calling a value runs by its own text; notes the code they run in."""
        if isinstance(callee, type):
            for made in ("__init__", "__new__"):
                function = getattr(callee, made, None)
                codes.add(getattr(function, "__code__", None))
            call = getattr(type(callee), "__call__", None)
            codes.add(getattr(call, "__code__", None))
            yield "instantiates", self.place_of_class(callee)
            return
        for _ in range(8):
            if isinstance(callee, types.MethodType):
                callee = callee.__func__
            elif isinstance(callee, functools.partial):
                callee = callee.func
            elif type(callee) is functools._lru_cache_wrapper:
                callee = callee.__wrapped__
            else:
                break
        if isinstance(callee, type):
            yield from self.targets(callee, codes)
        elif isinstance(callee, types.FunctionType):
            codes.add(callee.__code__)
            # A lambda or comprehension is no declaration that could be called.
            if not callee.__code__.co_name.startswith("<"):
                yield "calls", self.place(callee.__code__)
        elif not isinstance(callee, (types.BuiltinFunctionType, types.MethodDescriptorType)):
            call = getattr(type(callee), "__call__", None)
            if isinstance(call, types.FunctionType):
                codes.add(call.__code__)
                yield "calls", self.place(call.__code__)

    def on_start(self, code, offset):
        target = self.place(code)
        if target is None or code.co_name == "<module>":
            return sys.monitoring.DISABLE
        is_class_body = not code.co_flags & OPTIMIZED
        if is_class_body or code.co_flags & GENERATOR or code.co_name.startswith("<"):
            return None
        caller = sys._getframe(1).f_back
        source = caller and self.place(caller.f_code)
        if source is None:
            return None
        calling, at, codes = self.called.get(id(caller), (None, None, ()))
        name, _, line = self.instruction(caller.f_code, caller.f_lasti)
        if calling is caller.f_code and at == caller.f_lasti and code in codes:
            return None
        how = OPERATIONS.get(name, "operator")
        if name in CALLS:
            dunder = code.co_name.startswith("__") and code.co_name.endswith("__")
            how = "protocol" if dunder else "callback"
        self.implicit.setdefault((how, source, target), line)
        return None

    # -- Running -------------------------------------------------------------------------------------------

    def run(self, arguments):
        import pytest

        monitoring = sys.monitoring
        tool, events = monitoring.PROFILER_ID, monitoring.events
        monitoring.use_tool_id(tool, "sscg-oracle")
        monitoring.register_callback(tool, events.CALL, self.on_call)
        monitoring.register_callback(tool, events.PY_START, self.on_start)
        monitoring.set_events(tool, events.CALL | events.PY_START)
        try:
            return pytest.main(arguments)
        finally:
            monitoring.set_events(tool, 0)

    def facts(self):
        def end(place):
            return dict(zip(("path", "line", "name"), place))

        for (relation, source, target), line in sorted(self.edges.items()):
            yield {"kind": "edge", "relation": relation, "source": end(source), "target": end(target), "at": line}
        for (how, source, target), line in sorted(self.implicit.items()):
            if (("calls", source, target)) not in self.edges:
                yield {"kind": "implicit", "how": how, "source": end(source), "target": end(target), "at": line}


def main():
    split = sys.argv.index("--")
    root, output, *packages = sys.argv[1:split]
    trace = Trace(root, packages)
    status = trace.run(sys.argv[split + 1:])
    with open(output, "w", encoding="utf-8") as file:
        for fact in trace.facts():
            file.write(json.dumps(fact) + "\n")
    sys.exit(int(status))


if __name__ == "__main__":
    main()
