"""Compiles `Oracle.cs` with Roslyn and runs it in this process.

    python oracle.py DIR NODE_MODULES

The wheel `dotnetcore2` has the .NET runtime, and `@autorest/csharp` in NODE_MODULES has Roslyn's libraries.
"""

import ctypes
import json
import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec

from clr_loader import get_coreclr
from pythonnet import set_runtime

ROSLYN = [
    "System.Runtime.CompilerServices.Unsafe",
    "System.Collections.Immutable",
    "System.Reflection.Metadata",
    "Microsoft.CodeAnalysis",
    "Microsoft.CodeAnalysis.CSharp",
]
HERE = os.path.dirname(os.path.abspath(__file__))


def load_openssl(place):
    """Makes OpenSSL 3 usable for the runtime, which finds version 1.1 by itself."""
    library = "libssl.so.oracle"
    path = os.path.join(place, library)
    build = ["cc", "-shared", "-fPIC", f"-Wl,-soname,{library},--no-as-needed", "-o", path]
    subprocess.run([*build, os.path.join(HERE, "openssl.c"), "-l:libssl.so.3", "-l:libcrypto.so.3"], check=True)
    ctypes.CDLL(path)
    os.environ["CLR_OPENSSL_VERSION_OVERRIDE"] = "oracle"


def load_runtime(roslyn):
    # Otherwise the runtime needs a library of languages, for which the oracle has no use.
    os.environ["DOTNET_SYSTEM_GLOBALIZATION_INVARIANT"] = "1"
    framework = {"name": "Microsoft.NETCore.App", "version": "3.1.0"}
    with tempfile.TemporaryDirectory() as place:
        try:
            ctypes.CDLL("libssl.so.1.1")
        except OSError:
            load_openssl(place)
        config = os.path.join(place, "runtimeconfig.json")
        with open(config, "w", encoding="utf-8") as file:
            json.dump({"runtimeOptions": {"tfm": "netcoreapp3.1", "framework": framework}}, file)
        root = os.path.join(os.path.dirname(find_spec("dotnetcore2").origin), "bin")
        set_runtime(get_coreclr(runtime_config=config, dotnet_root=root))
        import clr
    sys.path.append(roslyn)
    for name in ROSLYN:
        clr.AddReference(name)


def main():
    directory, modules = sys.argv[1:]
    roslyn = os.path.join(modules, "@autorest", "csharp")
    load_runtime(roslyn)
    from System import AppContext, Array, Object, String
    from System.IO import MemoryStream
    from System.Reflection import Assembly
    from Microsoft.CodeAnalysis import MetadataReference, OutputKind, SyntaxTree
    from Microsoft.CodeAnalysis.CSharp import CSharpCompilation, CSharpCompilationOptions, CSharpSyntaxTree

    with open(os.path.join(HERE, "Oracle.cs"), encoding="utf-8") as file:
        tree = CSharpSyntaxTree.ParseText(file.read())
    platform = [path for path in AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES").split(os.pathsep) if path]
    libraries = {os.path.basename(path): path for path in platform}
    # Roslyn comes with newer versions of some of the platform's libraries.
    for name in ROSLYN:
        libraries[f"{name}.dll"] = os.path.join(roslyn, f"{name}.dll")
    references = [MetadataReference.CreateFromFile(path) for path in libraries.values()]
    compilation = CSharpCompilation.Create(
        "Oracle",
        Array[SyntaxTree]([tree]),
        Array[MetadataReference](references),
        CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary),
    )
    stream = MemoryStream()
    result = compilation.Emit(stream)
    if not result.Success:
        sys.exit("\n".join(str(diagnostic) for diagnostic in result.Diagnostics))
    run = Assembly.Load(stream.ToArray()).GetType("Oracle").GetMethod("Run")
    run.Invoke(None, Array[Object]([Array[String]([os.path.realpath(directory), *platform])]))


if __name__ == "__main__":
    main()
