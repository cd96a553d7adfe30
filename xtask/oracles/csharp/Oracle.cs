// Prints the edges that Roslyn finds in a C# project, as facts (see `xtask/src/oracle/script.rs`).
//
// Each `.csproj` below the directory is a compilation of the files below its folder, for one target framework; project
// references are resolved, packages are not. Without a project file, all files are one compilation. A declaration that
// Roslyn cannot parse, of a newer version of the language, is not covered; a name that depends on a missing package is
// unknown.
//
// - A call goes to the method that the compiler selects, an extension method to its declaration. Calls of delegates,
//   `new()` without a type, and names in code that `#if` excludes are unknown.
// - Accessors belong to their property, lambdas to what surrounds them.
// - The parts of a partial type or method are the same declaration.
// - A property counts as a field: it is read and assigned to.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Text.RegularExpressions;
using System.Xml.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

public static class Oracle
{
    public static void Run(string[] arguments)
    {
        var root = arguments[0];
        var platform = arguments.Skip(1).Select(path => (MetadataReference)MetadataReference.CreateFromFile(path));
        var projects = Project.All(root);
        var compilations = new Compilations(projects, platform.ToArray());
        var facts = new Facts(root);
        foreach (var project in projects)
        {
            var compilation = compilations.Of(project);
            foreach (var tree in compilation.SyntaxTrees.Where(tree => tree.FilePath != ""))
            {
                new Walk(facts, compilation.GetSemanticModel(tree)).Run();
            }
        }
        facts.Print(Console.Out);
        Console.Out.Flush();
    }
}

/// A project file and its sources.
class Project
{
    const string ImplicitUsings =
        "global using System; global using System.Collections.Generic; global using System.IO; global using System.Linq;"
        + "global using System.Net.Http; global using System.Threading; global using System.Threading.Tasks;";

    static readonly string[] Preferred = { "netcoreapp3.1", "netstandard2.1", "netstandard2.0", "net5.0", "net6.0" };

    public string File = "";
    public List<string> Sources = new List<string>();
    public List<string> References = new List<string>();
    public List<string> Symbols = new List<string>();
    public List<string> Usings = new List<string>();

    public static List<Project> All(string root)
    {
        var sources = Find(root, "*.cs");
        var files = Find(root, "*.csproj");
        if (files.Count == 0)
        {
            return new List<Project> { new Project { Sources = sources } };
        }
        var folders = files.ToLookup(file => Path.GetDirectoryName(file) + "/");
        var projects = files.Select(Read).ToDictionary(project => project.File);
        foreach (var source in sources)
        {
            var folder = folders.Select(it => it.Key).Where(it => source.StartsWith(it)).OrderBy(it => it.Length).LastOrDefault();
            if (folder != null)
            {
                projects[folders[folder].First()].Sources.Add(source);
            }
        }
        return projects.Values.OrderBy(project => project.File, StringComparer.Ordinal).ToList();
    }

    static List<string> Find(string folder, string pattern)
    {
        var skipped = new[] { "bin", "obj" };
        var found = Directory.GetFiles(folder, pattern).ToList();
        foreach (var inner in Directory.GetDirectories(folder))
        {
            var name = Path.GetFileName(inner);
            if (!name.StartsWith(".") && !skipped.Contains(name))
            {
                found.AddRange(Find(inner, pattern));
            }
        }
        return found.OrderBy(it => it, StringComparer.Ordinal).ToList();
    }

    static Project Read(string file)
    {
        var project = new Project { File = file };
        var documents = Properties(file).Append(file).Select(XDocument.Load).ToList();
        IEnumerable<XElement> Elements(string name) =>
            documents.SelectMany(document => document.Descendants().Where(it => it.Name.LocalName == name));
        var targets = Elements("TargetFrameworks").Concat(Elements("TargetFramework"))
            .SelectMany(it => it.Value.Split(';')).Select(it => it.Trim()).Where(it => it != "" && !it.Contains("$"));
        var target = Preferred.FirstOrDefault(targets.Contains) ?? targets.LastOrDefault() ?? "netstandard2.0";
        project.Symbols.AddRange(SymbolsOf(target));
        foreach (var constants in Elements("DefineConstants").Where(it => Applies(it, target)))
        {
            project.Symbols.AddRange(constants.Value.Split(';').Select(it => it.Trim()).Where(SyntaxFacts.IsValidIdentifier));
        }
        if (Elements("ImplicitUsings").Any(it => it.Value == "enable" || it.Value == "true"))
        {
            project.Usings.Add(ImplicitUsings);
        }
        foreach (var element in Elements("Using").Where(it => it.Attribute("Include") != null))
        {
            var modifier = element.Attribute("Static")?.Value.ToLowerInvariant() == "true" ? "static " : "";
            project.Usings.Add($"global using {modifier}{element.Attribute("Include").Value};");
        }
        var folder = Path.GetDirectoryName(file);
        foreach (var element in documents.Last().Descendants())
        {
            var path = element.Attribute("Include")?.Value.Replace('\\', '/');
            if (path == null || path.Contains("$")) continue;
            if (element.Name.LocalName == "ProjectReference")
            {
                project.References.Add(Path.GetFullPath(Path.Combine(folder, path)));
            }
            else if (element.Name.LocalName == "Compile" && System.IO.File.Exists(Path.Combine(folder, path)))
            {
                project.Sources.Add(Path.GetFullPath(Path.Combine(folder, path)));
            }
        }
        return project;
    }

    /// Returns the files of properties that apply to a project: the nearest of each name.
    static IEnumerable<string> Properties(string file)
    {
        foreach (var name in new[] { "Directory.Build.props", "Directory.Build.targets" })
        {
            for (var folder = Path.GetDirectoryName(file); folder != null; folder = Path.GetDirectoryName(folder))
            {
                var path = Path.Combine(folder, name);
                if (!System.IO.File.Exists(path)) continue;
                yield return path;
                break;
            }
        }
    }

    static bool Applies(XElement element, string target)
    {
        var conditions = element.AncestorsAndSelf().Select(it => it.Attribute("Condition")?.Value ?? "");
        return conditions.All(condition =>
            condition == "" || condition.Contains("TargetFramework") && condition.Contains("'" + target + "'"));
    }

    static IEnumerable<string> SymbolsOf(string target)
    {
        yield return "TRACE";
        var parsed = Regex.Match(target, @"^(net(?:standard|coreapp)?)(\d+)\.(\d+)");
        if (!parsed.Success) yield break;
        var (name, major, minor) = (parsed.Groups[1].Value.ToUpperInvariant(), parsed.Groups[2].Value, parsed.Groups[3].Value);
        yield return name;
        yield return $"{name}{major}_{minor}";
        yield return $"{name}{major}_{minor}_OR_GREATER";
        if (name == "NET")
        {
            yield return "NETCOREAPP";
            for (var older = 5; older <= int.Parse(major); older++) yield return $"NET{older}_0_OR_GREATER";
        }
        if (name != "NETSTANDARD")
        {
            foreach (var older in new[] { "2_0", "2_1", "3_0", "3_1" }) yield return $"NETCOREAPP{older}_OR_GREATER";
        }
        else if (target == "netstandard2.1")
        {
            yield return "NETSTANDARD2_0_OR_GREATER";
        }
    }
}

/// Compilations of the projects, by need.
class Compilations
{
    readonly Dictionary<string, Project> projects;
    readonly MetadataReference[] platform;
    readonly Dictionary<Project, CSharpCompilation> made = new Dictionary<Project, CSharpCompilation>();

    public Compilations(List<Project> projects, MetadataReference[] platform)
    {
        this.projects = projects.ToDictionary(project => project.File);
        this.platform = platform;
    }

    public CSharpCompilation Of(Project project)
    {
        if (made.TryGetValue(project, out var known)) return known;
        // A cycle of references ends here.
        made[project] = CSharpCompilation.Create("empty");
        var options = new CSharpParseOptions(LanguageVersion.Preview, preprocessorSymbols: project.Symbols);
        var trees = project.Sources.Distinct().Select(path =>
            CSharpSyntaxTree.ParseText(SourceText.From(File.ReadAllText(path)), options, path)).ToList();
        trees.AddRange(project.Usings.Distinct().Select(text => CSharpSyntaxTree.ParseText(text, options)));
        var references = AllReferences(project).Select(it => Of(it).ToMetadataReference());
        var flags = new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true);
        var name = Path.GetFileNameWithoutExtension(project.File);
        return made[project] = CSharpCompilation.Create(name, trees, platform.Concat(references), flags);
    }

    /// Returns the projects that a project refers to, also through others.
    IEnumerable<Project> AllReferences(Project project)
    {
        var found = new HashSet<Project>();
        var open = new Stack<Project>(new[] { project });
        while (open.Count > 0)
        {
            foreach (var path in open.Pop().References)
            {
                if (projects.TryGetValue(path, out var other) && other != project && found.Add(other)) open.Push(other);
            }
        }
        return found;
    }
}

/// Facts of all compilations, without duplicates.
class Facts
{
    public static readonly string[] Relations =
    {
        "calls", "instantiates", "inherits", "implements", "overrides", "decorates", "uses_type", "asserts_type",
        "catches", "reads_from", "assigns_to",
    };

    readonly string root;
    readonly HashSet<Place> covered = new HashSet<Place>();
    readonly HashSet<Place> failing = new HashSet<Place>();
    readonly HashSet<(Place, Place)> same = new HashSet<(Place, Place)>();
    readonly Dictionary<(string, Place, Place), int> edges = new Dictionary<(string, Place, Place), int>();
    readonly Dictionary<(string, Place, string), int> unknown = new Dictionary<(string, Place, string), int>();

    public Facts(string root) => this.root = root;

    public Place At(Location location, string name)
    {
        if (!location.IsInSource || location.SourceTree.FilePath == "") return null;
        var path = Path.GetRelativePath(root, location.SourceTree.FilePath).Replace('\\', '/');
        return new Place(path, Line(location), name);
    }

    public static int Line(Location location) => location.GetLineSpan().StartLinePosition.Line + 1;

    /// Returns the first declaration of a symbol of the project; null if it has none.
    public Place Of(ISymbol symbol)
    {
        symbol = symbol switch
        {
            IMethodSymbol { ReducedFrom: { } extension } => extension,
            _ => symbol,
        };
        symbol = symbol.OriginalDefinition;
        var name = symbol is IMethodSymbol { MethodKind: MethodKind.Constructor or MethodKind.StaticConstructor }
            ? "constructor"
            : symbol.Name.Split('.').Last();
        var others = symbol is IMethodSymbol method ? method.PartialImplementationPart?.Locations : null;
        var places = symbol.Locations.Concat(others ?? Enumerable.Empty<Location>())
            .Select(location => At(location, name)).Where(place => place != null).Distinct().ToList();
        foreach (var part in places.Skip(1)) same.Add((part, places[0]));
        return places.FirstOrDefault();
    }

    public void Cover(Place place) => covered.Add(place);

    public void Fail(Place place) => failing.Add(place);

    public void Edge(string relation, Place source, ISymbol target, SyntaxNode at)
    {
        if (Of(target) is { } place) edges.TryAdd((relation, source, place), Line(at.GetLocation()));
    }

    public void Unknown(string relation, Place source, string name, Location at) =>
        unknown.TryAdd((relation, source, name), Line(at));

    public void Print(TextWriter writer)
    {
        void Print(object fact) => writer.WriteLine(JsonSerializer.Serialize(fact));
        foreach (var (part, first) in same) Print(new { kind = "same", place = part.Json, definition = first.Json });
        foreach (var place in covered.Except(failing))
        {
            Print(new { kind = "covered", place.path, place.line, place.name, relations = Relations });
        }
        foreach (var ((relation, source, target), at) in edges)
        {
            Print(new { kind = "edge", relation, source = source.Json, target = target.Json, at });
        }
        foreach (var ((relation, source, name), at) in unknown)
        {
            Print(new { kind = "unknown", relation, source = source.Json, name, at });
        }
    }
}

record Place(string path, int line, string name)
{
    public object Json => new { path, line, name };
}

namespace System.Runtime.CompilerServices
{
    /// Marks the properties of records, for which the compiler expects it; the platform is older than records.
    class IsExternalInit { }
}

/// The uses in one file.
class Walk
{
    readonly Facts facts;
    readonly SemanticModel model;

    public Walk(Facts facts, SemanticModel model)
    {
        this.facts = facts;
        this.model = model;
    }

    public void Run()
    {
        foreach (var node in model.SyntaxTree.GetRoot().DescendantNodes())
        {
            if (IsDeclaration(node) && Symbol(node) is { } symbol && facts.Of(symbol) != null) Declaration(node, symbol);
            switch (node)
            {
                case InvocationExpressionSyntax call: Call(call); break;
                case ImplicitObjectCreationExpressionSyntax: OpenConstruction(node); break;
                case ConstructorInitializerSyntax: OpenConstruction(node); break;
                case SimpleNameSyntax name: Name(name); break;
            }
        }
        foreach (var trivia in model.SyntaxTree.GetRoot().DescendantTrivia())
        {
            if (trivia.IsKind(SyntaxKind.DisabledTextTrivia)) Excluded(trivia);
        }
        foreach (var error in model.SyntaxTree.GetDiagnostics())
        {
            var root = model.SyntaxTree.GetRoot();
            facts.Fail(Source(root.FindNode(error.Location.SourceSpan)));
            // What comes before an error may be the head of what does not parse.
            var before = Math.Max(0, error.Location.SourceSpan.Start - 1);
            facts.Fail(Source(root.FindToken(before).Parent ?? root));
        }
    }

    // -- Declarations ------------------------------------------------------------------------------------------------

    static bool IsDeclaration(SyntaxNode node) => node switch
    {
        BaseFieldDeclarationSyntax => false,
        VariableDeclaratorSyntax => node.Parent.Parent is BaseFieldDeclarationSyntax,
        BaseNamespaceDeclarationSyntax or GlobalStatementSyntax or IncompleteMemberSyntax => false,
        MemberDeclarationSyntax or LocalFunctionStatementSyntax => true,
        _ => false,
    };

    ISymbol Symbol(SyntaxNode declaration) => model.GetDeclaredSymbol(declaration);

    /// Returns the declaration around a node, itself included, to which its code is attributed.
    Place Source(SyntaxNode node)
    {
        foreach (var around in node.AncestorsAndSelf())
        {
            var declaration = around is BaseFieldDeclarationSyntax field ? field.Declaration.Variables.FirstOrDefault() : around;
            if (declaration != null && IsDeclaration(declaration) && Symbol(declaration) is { } symbol
                && facts.At(symbol.Locations.First(it => it.SourceTree == model.SyntaxTree), "") is { } place)
            {
                return facts.Of(symbol) ?? place;
            }
        }
        return facts.At(node.GetLocation(), "") with { line = 0 };
    }

    void Declaration(SyntaxNode node, ISymbol symbol)
    {
        var place = facts.Of(symbol);
        facts.Cover(place);
        var overridden = symbol switch
        {
            IMethodSymbol method => method.OverriddenMethod,
            IPropertySymbol property => property.OverriddenProperty,
            IEventSymbol @event => (ISymbol)@event.OverriddenEvent,
            _ => null,
        };
        if (overridden != null) facts.Edge("overrides", place, overridden, node);
        else if (symbol is IMethodSymbol or IPropertySymbol or IEventSymbol)
        {
            // It may implement a member of an interface, or hide an inherited one.
            facts.Unknown("overrides", place, place.name, node.GetLocation());
        }
    }

    // -- Uses --------------------------------------------------------------------------------------------------------

    void Call(InvocationExpressionSyntax call)
    {
        var name = call.Expression switch
        {
            SimpleNameSyntax simple => simple,
            MemberAccessExpressionSyntax member => member.Name,
            MemberBindingExpressionSyntax binding => binding.Name,
            _ => null,
        };
        if (name == null) return;
        var target = Resolve(call);
        if (target is IMethodSymbol { MethodKind: not MethodKind.DelegateInvoke })
        {
            facts.Edge("calls", Source(call), target, name);
        }
        else
        {
            facts.Unknown("calls", Source(call), name.Identifier.ValueText, name.GetLocation());
        }
    }

    ISymbol Resolve(SyntaxNode node)
    {
        var found = model.GetSymbolInfo(node);
        // What another project may see by an attribute that its build adds.
        var isHidden = found.CandidateReason == CandidateReason.Inaccessible && found.CandidateSymbols.Length == 1;
        return found.Symbol ?? (isHidden ? found.CandidateSymbols[0] : null);
    }

    void OpenConstruction(SyntaxNode node)
    {
        if (Resolve(node) is IMethodSymbol { ContainingType: { } type })
        {
            facts.Unknown("instantiates", Source(node), type.Name, node.GetLocation());
            facts.Unknown("calls", Source(node), type.Name, node.GetLocation());
        }
    }

    void Name(SimpleNameSyntax name)
    {
        if (name.Ancestors().OfType<UsingDirectiveSyntax>().Any() || name.IsVar) return;
        var target = Resolve(name);
        switch (target)
        {
            case IMethodSymbol { MethodKind: MethodKind.Constructor } constructor when name.FirstAncestorOrSelf<AttributeSyntax>() != null:
                Type(name, constructor.ContainingType);
                break;
            case INamedTypeSymbol type: Type(name, type); break;
            case IFieldSymbol { IsConst: true }:
                facts.Unknown("reads_from", Source(name), name.Identifier.ValueText, name.GetLocation());
                break;
            case IFieldSymbol { IsConst: false } or IPropertySymbol or IEventSymbol: Member(name, target); break;
            case null:
                foreach (var relation in Facts.Relations.Where(it => it is not "calls" and not "overrides"))
                {
                    facts.Unknown(relation, Source(name), name.Identifier.ValueText, name.GetLocation());
                }
                break;
        }
    }

    void Type(SimpleNameSyntax name, INamedTypeSymbol type)
    {
        var source = Source(name);
        // The whole type, with its namespaces: `Outer.Inner<T>` in `new Outer.Inner<T>()`.
        SyntaxNode whole = name;
        while (whole.Parent is QualifiedNameSyntax qualified && qualified.Right == whole
            || whole.Parent is AliasQualifiedNameSyntax or NullableTypeSyntax or ArrayTypeSyntax or PointerTypeSyntax)
        {
            whole = whole.Parent;
        }
        var relation = whole.Parent switch
        {
            ObjectCreationExpressionSyntax => "instantiates",
            BaseTypeSyntax => Inheritance(whole, type),
            AttributeSyntax => "decorates",
            CastExpressionSyntax or DeclarationPatternSyntax or TypePatternSyntax or RecursivePatternSyntax => "asserts_type",
            BinaryExpressionSyntax tested when tested.Right == whole
                && (tested.IsKind(SyntaxKind.IsExpression) || tested.IsKind(SyntaxKind.AsExpression)) => "asserts_type",
            ConstantPatternSyntax => "asserts_type",
            CatchDeclarationSyntax => "catches",
            _ => SyntaxFacts.IsInTypeOnlyContext(name) && !IsQualifier(name) ? "uses_type" : null,
        };
        if (relation != null) facts.Edge(relation, source, type, name);
        if (relation != "uses_type") facts.Unknown("uses_type", source, type.Name, name.GetLocation());
    }

    static bool IsQualifier(SimpleNameSyntax name) =>
        name.Parent is QualifiedNameSyntax { Left: var left } && left == name
        || name.Parent is QualifiedNameSyntax { Right: var right, Parent: QualifiedNameSyntax outer } && right == name
            && outer.Left == name.Parent;

    string Inheritance(SyntaxNode named, INamedTypeSymbol type)
    {
        var declaration = named.FirstAncestorOrSelf<BaseTypeDeclarationSyntax>();
        if (declaration is EnumDeclarationSyntax) return null;
        var isInterface = declaration is InterfaceDeclarationSyntax;
        return type.TypeKind == TypeKind.Interface && !isInterface ? "implements" : "inherits";
    }

    void Member(SimpleNameSyntax name, ISymbol target)
    {
        var source = Source(name);
        ExpressionSyntax whole = name;
        if (whole.Parent is MemberAccessExpressionSyntax member && member.Name == name) whole = member;
        else if (whole.Parent is MemberBindingExpressionSyntax binding) whole = binding;
        var (reads, writes) = whole.Parent switch
        {
            AssignmentExpressionSyntax assignment when assignment.Left == whole =>
                (!assignment.IsKind(SyntaxKind.SimpleAssignmentExpression), true),
            PrefixUnaryExpressionSyntax or PostfixUnaryExpressionSyntax =>
                (true, whole.Parent.Kind() is SyntaxKind.PreIncrementExpression or SyntaxKind.PreDecrementExpression
                    or SyntaxKind.PostIncrementExpression or SyntaxKind.PostDecrementExpression),
            _ => (true, false),
        };
        var isOpen = whole.Parent is ArgumentSyntax { RefKindKeyword: { RawKind: not 0 } } or NameColonSyntax
            or NameEqualsSyntax || reads && writes;
        if (writes) facts.Edge("assigns_to", source, target, name);
        else if (!isOpen) facts.Edge("reads_from", source, target, name);
        if (!isOpen) return;
        foreach (var relation in new[] { "reads_from", "assigns_to" })
        {
            facts.Unknown(relation, source, target.Name, name.GetLocation());
        }
    }

    /// Leaves open the names in code that a condition excludes from this compilation.
    void Excluded(SyntaxTrivia trivia)
    {
        var around = trivia.Token.Parent;
        while (around != null && !(IsDeclaration(around) && around.FullSpan.Contains(trivia.Span))) around = around.Parent;
        if (around == null) return;
        var source = Source(around);
        foreach (var name in Regex.Matches(trivia.ToString(), @"[A-Za-z_]\w*").Select(it => it.Value).Distinct())
        {
            foreach (var relation in Facts.Relations) facts.Unknown(relation, source, name, trivia.GetLocation());
        }
    }
}
