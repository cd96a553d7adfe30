// Edges that the Java compiler finds in a directory, as facts (see `xtask/src/oracle/script.rs`).
//
//     java Java.java DIR
//
// Compiles all sources below DIR at once, without annotation processors. Dependencies are those in the environment
// variable CLASSPATH; names of missing classes are unknown, unless an import shows that they belong to another project,
// and so are calls with arguments for parameters of such types. Of two classes with one name, the second is not covered.
// Code that the source does not spell out is left out: default constructors, the calls of
// constructors in enum constants, inferred types.
//
// A method call goes to the method that the compiler selects, and `new T()` to the class. The accessor of a record is
// its component. The first file of a package stands for the package. An override goes to the first overridden method
// of the project: in the superclass, then in the interfaces, in the order of the text. Not judged: method references,
// class names before a dot, `throws` clauses, and enum constants.

import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.regex.*;
import java.util.stream.*;
import javax.lang.model.element.*;
import javax.lang.model.type.*;
import javax.lang.model.util.*;
import javax.tools.*;

public class Java {
    static final List<String> RELATIONS = List.of("calls", "instantiates", "imports", "inherits", "implements",
        "overrides", "uses_type", "asserts_type", "decorates", "raises", "catches", "uses_constant", "reads_from",
        "assigns_to");
    static final List<String> OF_TYPES = List.of("uses_type", "asserts_type", "raises", "references");
    static final List<String> OF_FIELDS = List.of("uses_constant", "uses_global", "reads_from", "assigns_to");

    /** A declaration, by the line of its name. */
    record Place(String path, long line, String name) {
        String json() {
            return "\"path\":" + quoted(path) + ",\"line\":" + line + ",\"name\":" + quoted(name);
        }
    }

    static Path root;
    static Trees trees;
    static Elements elements;
    static Types types;
    static final Map<Element, Place> places = new HashMap<>();
    static final Map<String, String> packages = new TreeMap<>();
    static final Set<String> printed = new LinkedHashSet<>();

    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 1) {
            System.err.println("usage: java Java.java DIR");
            System.exit(2);
        }
        root = Path.of(arguments[0]).toAbsolutePath().normalize();
        List<Path> sources;
        try (var all = Files.walk(root)) {
            sources = all.filter(file -> file.toString().endsWith(".java") && Files.isRegularFile(file))
                .filter(file -> !file.endsWith("module-info.java")).sorted(Comparator.comparing(Java::relative)).toList();
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticListener<JavaFileObject> silent = diagnostic -> {};
        var files = compiler.getStandardFileManager(silent, Locale.ROOT, StandardCharsets.UTF_8);
        // Errors do not keep the compiler from resolving the names in other places.
        var options = List.of("-proc:none", "-Xlint:none", "-XDshould-stop.ifError=FLOW", "-implicit:none");
        var task = (JavacTask) compiler.getTask(Writer.nullWriter(), files, silent, options, null,
            files.getJavaFileObjectsFromPaths(sources));
        trees = Trees.instance(task);
        elements = task.getElements();
        types = task.getTypes();
        List<CompilationUnitTree> units = new ArrayList<>();
        task.parse().forEach(units::add);
        task.analyze();
        for (CompilationUnitTree unit : units) {
            packages.merge(Objects.toString(unit.getPackageName(), ""), relative(unit), (a, b) -> a.compareTo(b) <= 0 ? a : b);
            new Declarations().scan(unit, null);
        }
        for (CompilationUnitTree unit : units) new Uses(unit).scan(unit, null);
        var out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        printed.forEach(out::println);
        out.flush();
    }

    // -- Places --------------------------------------------------------------------------------------------------

    static String relative(Path file) {
        return root.relativize(file).toString().replace(File.separatorChar, '/');
    }

    static String relative(CompilationUnitTree unit) {
        return relative(Path.of(unit.getSourceFile().toUri()));
    }

    static long end(CompilationUnitTree unit, Tree tree) {
        return tree == null ? -1 : trees.getSourcePositions().getEndPosition(unit, tree);
    }

    /** Returns true if the compiler added the tree. */
    static boolean isAdded(CompilationUnitTree unit, Tree tree) {
        return end(unit, tree) < 0;
    }

    /** Returns the place of a declaration: its name stands after its modifiers and its type. */
    static Place place(CompilationUnitTree unit, Tree declaration, String name, Tree... before) throws IOException {
        long from = trees.getSourcePositions().getStartPosition(unit, declaration);
        for (Tree tree : before) from = Math.max(from, end(unit, tree));
        Matcher found = Pattern.compile("\\b" + Pattern.quote(name) + "(?!\\w)")
            .matcher(unit.getSourceFile().getCharContent(true));
        long at = found.find((int) from) ? found.start() : from;
        return new Place(relative(unit), unit.getLineMap().getLineNumber(at), name);
    }

    /** Finds the places of all declarations that code can name. */
    static class Declarations extends TreePathScanner<Void, Void> {
        void add(Tree tree, String name, Tree... before) {
            Element element = trees.getElement(getCurrentPath());
            CompilationUnitTree unit = getCurrentPath().getCompilationUnit();
            if (element == null || isAdded(unit, tree)) return;
            try {
                places.put(element, place(unit, tree, name, before));
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
        }

        @Override public Void visitClass(ClassTree tree, Void unused) {
            if (!tree.getSimpleName().isEmpty()) add(tree, tree.getSimpleName().toString(), tree.getModifiers());
            return super.visitClass(tree, null);
        }

        @Override public Void visitMethod(MethodTree tree, Void unused) {
            boolean isConstructor = tree.getReturnType() == null;
            var owner = (ClassTree) getCurrentPath().getParentPath().getLeaf();
            String name = (isConstructor ? owner.getSimpleName() : tree.getName()).toString();
            List<Tree> before = new ArrayList<>(tree.getTypeParameters());
            Collections.addAll(before, tree.getModifiers(), tree.getReturnType());
            add(tree, name, before.toArray(new Tree[0]));
            return super.visitMethod(tree, null);
        }

        @Override public Void visitVariable(VariableTree tree, Void unused) {
            Element element = trees.getElement(getCurrentPath());
            if (element != null && element.getKind() == ElementKind.ENUM_CONSTANT) {
                add(tree, tree.getName().toString(), tree.getModifiers());
            } else if (element != null && element.getKind().isField()) {
                add(tree, tree.getName().toString(), tree.getModifiers(), tree.getType());
            }
            return super.visitVariable(tree, null);
        }
    }

    // -- Facts ---------------------------------------------------------------------------------------------------

    static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    static void edge(String relation, Place source, Place target, long at) {
        if (target == null) return;
        printed.add("{\"kind\":\"edge\",\"relation\":\"" + relation + "\",\"source\":{" + source.json()
            + "},\"target\":{" + target.json() + "},\"at\":" + at + "}");
    }

    static void unknown(Collection<String> relations, Place source, String name, long at) {
        for (String relation : relations) {
            printed.add("{\"kind\":\"unknown\",\"relation\":\"" + relation + "\",\"source\":{" + source.json()
                + "},\"name\":" + quoted(name) + ",\"at\":" + at + "}");
        }
    }

    // -- Uses ----------------------------------------------------------------------------------------------------

    /** Prints the uses in a file. */
    static class Uses extends TreePathScanner<Void, Void> {
        final CompilationUnitTree unit;
        final Place file;
        Place owner;
        /** Relation of a name, where it is another than the usual one; empty if it is not judged. */
        final Map<Tree, String> roles = new IdentityHashMap<>();
        /** Names imported from other projects. */
        final Set<String> outside = new HashSet<>();

        Uses(CompilationUnitTree unit) {
            this.unit = unit;
            file = new Place(relative(unit), 0, "");
            owner = file;
        }

        long line(Tree tree) {
            long at = end(unit, tree);
            return unit.getLineMap().getLineNumber(at < 0 ? trees.getSourcePositions().getStartPosition(unit, tree) : at);
        }

        /** Scans trees as code of a declaration. */
        void within(Place place, Runnable scan) {
            Place around = owner;
            owner = place == null ? owner : place;
            scan.run();
            owner = around;
        }

        /** Gives the name in a type a role. */
        void mark(Tree tree, String relation) {
            if (tree instanceof AnnotatedTypeTree annotated) mark(annotated.getUnderlyingType(), relation);
            else if (tree instanceof ParameterizedTypeTree generic) mark(generic.getType(), relation);
            else if (tree instanceof UnionTypeTree union) union.getTypeAlternatives().forEach(it -> mark(it, relation));
            else if (tree != null) roles.put(tree, relation);
        }

        static boolean isUnresolved(Element element) {
            return element == null || !(element instanceof VariableElement) && element.asType().getKind() == TypeKind.ERROR;
        }

        @Override public Void visitCompilationUnit(CompilationUnitTree tree, Void unused) {
            boolean isCompiled = tree.getTypeDecls().stream().filter(it -> it instanceof ClassTree)
                .allMatch(it -> places.containsKey(trees.getElement(new TreePath(new TreePath(tree), it))));
            if (!isCompiled) return null;
            printed.add("{\"kind\":\"covered\",\"path\":" + quoted(file.path) + ",\"line\":0,\"name\":\"*\",\"relations\":["
                + RELATIONS.stream().map(Java::quoted).collect(Collectors.joining(",")) + "]}");
            scan(tree.getPackageAnnotations(), null);
            scan(tree.getImports(), null);
            return scan(tree.getTypeDecls(), null);
        }

        // -- Imports ---------------------------------------------------------------------------------------------

        @Override public Void visitImport(ImportTree tree, Void unused) {
            var path = (MemberSelectTree) tree.getQualifiedIdentifier();
            String name = path.getIdentifier().toString(), of = path.getExpression().toString();
            long at = line(tree);
            if (!tree.isStatic()) {
                if (name.equals("*") && packages.containsKey(of)) edge("imports", file, new Place(packages.get(of), 0, ""), at);
                TypeElement named = elements.getTypeElement(name.equals("*") ? of : of + "." + name);
                if (named != null) edge("imports", file, places.get(named), at);
                else if (!packages.containsKey(of)) outside.add(name);
                return null;
            }
            TypeElement type = elements.getTypeElement(of);
            if (type == null) {
                if (packages.keySet().stream().noneMatch(it -> of.startsWith(it + ".") && !it.isEmpty())) outside.add(name);
            } else if (name.equals("*")) {
                edge("imports", file, places.get(type), at);
            } else {
                for (Element member : elements.getAllMembers(type)) {
                    if (member.getSimpleName().contentEquals(name)) edge("imports", file, places.get(member), at);
                }
            }
            return null;
        }

        // -- Declarations ----------------------------------------------------------------------------------------

        @Override public Void visitClass(ClassTree tree, Void unused) {
            boolean isInterface = tree.getKind() == Tree.Kind.INTERFACE;
            mark(tree.getExtendsClause(), "inherits");
            tree.getImplementsClause().forEach(it -> mark(it, isInterface ? "inherits" : "implements"));
            if (tree.getSimpleName().isEmpty()) return scan(tree.getMembers(), null);
            within(places.get(trees.getElement(getCurrentPath())), () -> super.visitClass(tree, null));
            return null;
        }

        @Override public Void visitMethod(MethodTree tree, Void unused) {
            if (isAdded(unit, tree)) return null;
            var method = (ExecutableElement) trees.getElement(getCurrentPath());
            tree.getThrows().forEach(it -> mark(it, ""));
            Place place = method == null ? null : places.get(method);
            if (place != null && method.getKind() == ElementKind.METHOD) overrides(method, place);
            within(place, () -> super.visitMethod(tree, null));
            return null;
        }

        void overrides(ExecutableElement method, Place place) {
            if (method.getModifiers().contains(Modifier.STATIC)) return;
            var type = (TypeElement) method.getEnclosingElement();
            Place found = overridden(method, type, type);
            if (found != null) edge("overrides", place, found, place.line);
        }

        Place overridden(ExecutableElement method, TypeElement type, TypeElement below) {
            for (TypeMirror base : types.directSupertypes(below.asType())) {
                if (!(types.asElement(base) instanceof TypeElement above) || base.getKind() == TypeKind.ERROR) continue;
                for (ExecutableElement other : ElementFilter.methodsIn(above.getEnclosedElements())) {
                    if (places.containsKey(other) && elements.overrides(method, other, type)) return places.get(other);
                }
                Place found = overridden(method, type, above);
                if (found != null) return found;
            }
            return null;
        }

        @Override public Void visitVariable(VariableTree tree, Void unused) {
            Element element = trees.getElement(getCurrentPath());
            boolean isConstant = element != null && element.getKind() == ElementKind.ENUM_CONSTANT;
            within(element == null ? null : places.get(element), () -> {
                scan(tree.getModifiers(), null);
                if (isConstant && tree.getInitializer() instanceof NewClassTree made) {
                    scan(made.getArguments(), null);
                    if (made.getClassBody() != null) scan(made.getClassBody().getMembers(), null);
                    return;
                }
                scan(tree.getType(), null);
                scan(tree.getInitializer(), null);
            });
            return null;
        }

        @Override public Void visitAnnotation(AnnotationTree tree, Void unused) {
            mark(tree.getAnnotationType(), "decorates");
            scan(tree.getAnnotationType(), null);
            for (ExpressionTree argument : tree.getArguments()) {
                scan(argument instanceof AssignmentTree pair ? pair.getExpression() : argument, null);
            }
            return null;
        }

        // -- Code ------------------------------------------------------------------------------------------------

        @Override public Void visitMethodInvocation(MethodInvocationTree tree, Void unused) {
            if (isAdded(unit, tree)) return null;
            ExpressionTree callee = tree.getMethodSelect();
            Element element = trees.getElement(new TreePath(getCurrentPath(), callee));
            String name = callee instanceof MemberSelectTree select ? select.getIdentifier().toString() : callee.toString();
            if (isUnresolved(element)) {
                if (!(callee instanceof IdentifierTree) || !outside.contains(name)) {
                    unknown(List.of("calls", "instantiates"), owner, name, line(callee));
                }
            } else if (element.getKind() == ElementKind.CONSTRUCTOR) {
                Place declared = places.get(element);
                if (declared != null) edge("calls", owner, declared, line(callee));
                else edge("instantiates", owner, places.get(element.getEnclosingElement()), line(callee));
            } else {
                edge("calls", owner, called(element), line(callee));
            }
            scan(tree.getTypeArguments(), null);
            if (callee instanceof MemberSelectTree select) scanQualifier(select.getExpression());
            return scan(tree.getArguments(), null);
        }

        /** Returns the place of a method; of an implicit accessor, that of the record's component. */
        static Place called(Element method) {
            Element around = method.getEnclosingElement();
            if (places.containsKey(method) || around.getKind() != ElementKind.RECORD) return places.get(method);
            return around.getEnclosedElements().stream()
                .filter(it -> it.getKind().isField() && it.getSimpleName().equals(method.getSimpleName()))
                .map(places::get).filter(Objects::nonNull).findFirst().orElse(null);
        }

        /** Scans what stands before a dot, where the name of a class is not judged. */
        void scanQualifier(Tree qualifier) {
            mark(qualifier, "");
            scan(qualifier, null);
        }

        @Override public Void visitNewClass(NewClassTree tree, Void unused) {
            mark(tree.getIdentifier(), "instantiates");
            scan(tree.getEnclosingExpression(), null);
            scan(tree.getIdentifier(), null);
            scan(tree.getTypeArguments(), null);
            scan(tree.getArguments(), null);
            if (tree.getClassBody() != null) {
                Element made = trees.getElement(new TreePath(getCurrentPath(), tree.getIdentifier()));
                if (made != null) unknown(List.of("inherits", "implements"), owner, made.getSimpleName().toString(), line(tree.getIdentifier()));
                scan(tree.getClassBody(), null);
            }
            return null;
        }

        @Override public Void visitMemberReference(MemberReferenceTree tree, Void unused) {
            unknown(List.of("calls", "instantiates"), owner, tree.getName().toString(), line(tree));
            if (trees.getElement(new TreePath(getCurrentPath(), tree.getQualifierExpression())) instanceof TypeElement type) {
                unknown(List.of("calls", "instantiates"), owner, type.getSimpleName().toString(), line(tree));
            }
            scanQualifier(tree.getQualifierExpression());
            return scan(tree.getTypeArguments(), null);
        }

        @Override public Void visitTypeCast(TypeCastTree tree, Void unused) {
            mark(tree.getType(), "asserts_type");
            return super.visitTypeCast(tree, null);
        }

        @Override public Void visitInstanceOf(InstanceOfTree tree, Void unused) {
            mark(tree.getPattern() instanceof BindingPatternTree bound ? bound.getVariable().getType() : tree.getType(), "asserts_type");
            return super.visitInstanceOf(tree, null);
        }

        @Override public Void visitCatch(CatchTree tree, Void unused) {
            mark(tree.getParameter().getType(), "catches");
            return super.visitCatch(tree, null);
        }

        @Override public Void visitThrow(ThrowTree tree, Void unused) {
            if (tree.getExpression() instanceof NewClassTree made) {
                Element thrown = trees.getElement(new TreePath(new TreePath(getCurrentPath(), made), made.getIdentifier()));
                if (thrown != null) edge("raises", owner, places.get(thrown), line(made.getIdentifier()));
            }
            return super.visitThrow(tree, null);
        }

        @Override public Void visitAssignment(AssignmentTree tree, Void unused) {
            roles.put(tree.getVariable(), "assigns_to");
            return super.visitAssignment(tree, null);
        }

        @Override public Void visitCompoundAssignment(CompoundAssignmentTree tree, Void unused) {
            roles.put(tree.getVariable(), "assigns_to");
            return super.visitCompoundAssignment(tree, null);
        }

        @Override public Void visitUnary(UnaryTree tree, Void unused) {
            if (tree.getKind().name().contains("CREMENT")) roles.put(tree.getExpression(), "assigns_to");
            return super.visitUnary(tree, null);
        }

        @Override public Void visitIdentifier(IdentifierTree tree, Void unused) {
            if (!isAdded(unit, tree)) named(tree, tree.getName().toString());
            return null;
        }

        @Override public Void visitMemberSelect(MemberSelectTree tree, Void unused) {
            if (isAdded(unit, tree)) return null;
            String name = tree.getIdentifier().toString();
            if (name.equals("class")) return scan(tree.getExpression(), null);
            named(tree, name);
            scanQualifier(tree.getExpression());
            return null;
        }

        /** Prints the use of a type or a field. */
        void named(Tree tree, String name) {
            Element element = trees.getElement(getCurrentPath());
            if (element instanceof PackageElement || name.equals("this") || name.equals("super")) return;
            String role = roles.get(tree);
            long at = line(tree);
            if (isUnresolved(element)) {
                if (!(tree instanceof IdentifierTree) || !outside.contains(name)) unknown(RELATIONS, owner, name, at);
            } else if (element instanceof TypeElement) {
                if ("".equals(role)) unknown(OF_TYPES, owner, name, at);
                else edge(role == null ? "uses_type" : role, owner, places.get(element), at);
            } else if (element.getKind() == ElementKind.ENUM_CONSTANT) {
                unknown(OF_FIELDS, owner, name, at);
            } else if (element.getKind() == ElementKind.FIELD && places.containsKey(element)) {
                boolean isConstant = element.getModifiers().containsAll(List.of(Modifier.STATIC, Modifier.FINAL));
                String relation = "assigns_to".equals(role) ? role : isConstant ? "uses_constant" : "reads_from";
                unknown(OF_FIELDS.stream().filter(it -> !it.equals(relation)).toList(), owner, name, at);
                edge(relation, owner, places.get(element), at);
            }
        }
    }
}
