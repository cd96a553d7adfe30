// Edges that the type checker of Go finds in a directory, as facts (see `xtask/src/oracle/script.rs`).
//
//	go run go.go DIR
//
// Needs only Go's standard library, of which the checker reads the sources. Every directory is a package, by its path
// below the module of a `go.mod` above it; a package is checked together with its tests. Dependencies are those in the
// source tree of GOPATH; others are missing, and what depends on them is unknown. Files that a build for Linux
// leaves out are not covered, and a name that one of them declares is unknown in its directory.
//
// Of the edges that can be seen in more than one way, none is judged: a conversion `T(x)`, `new(T)`, the type of a
// receiver, the keys of a composite literal, and the call of a variable or field that holds a function. The first file
// of a package stands for the package, as in SSCG. Names in `var a, b T` belong to the first of them.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
)

var (
	root      string
	files     = token.NewFileSet()
	standard  types.Importer
	modules   = map[string]string{} // Path of each module, by its directory.
	dirs      = map[string]*directory{}
	imported  = map[string]*types.Package{}
	printed   = map[string]bool{}
	out       = bufio.NewWriter(os.Stdout)
	relations = []string{"calls", "instantiates", "imports", "inherits", "implements", "overrides", "uses_type",
		"asserts_type", "uses_constant", "uses_global", "reads_from", "assigns_to"}
	typeRelations = []string{"instantiates", "uses_type", "asserts_type", "inherits"}
)

// A directory with Go files.
type directory struct {
	path     string
	first    string                 // File that stands for the package.
	packages map[string][]*ast.File // Files of a build, by the name of their package.
	leftOut  map[string]bool        // Names that the other files declare.
}

type place struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Name string `json:"name"`
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run go.go DIR")
		os.Exit(2)
	}
	root, _ = filepath.Abs(os.Args[1])
	build.Default.GOOS, build.Default.GOARCH, build.Default.CgoEnabled = "linux", "amd64", false
	os.Setenv("GO111MODULE", "off")
	standard = importer.ForCompiler(files, "source", nil)
	if err := filepath.WalkDir(root, read); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var paths []string
	for dir := range dirs {
		paths = append(paths, dir)
	}
	sort.Strings(paths)
	var all []*types.Package
	for _, dir := range paths {
		all = append(all, dirs[dir].check()...)
	}
	// Signatures name the types of imported packages, which are other ones than those checked with tests.
	for _, of := range imported {
		if of != nil && directoryOf(of.Path()) != nil {
			all = append(all, of)
		}
	}
	implementations(all)
	out.Flush()
}

// -- Sources -----------------------------------------------------------------------------------------------------

func read(file string, entry fs.DirEntry, err error) error {
	name := entry.Name()
	if err != nil || entry.IsDir() {
		if entry.IsDir() && file != root && (strings.HasPrefix(name, ".") || name == "vendor") {
			return fs.SkipDir
		}
		return err
	}
	dir := filepath.Dir(file)
	if name == "go.mod" {
		text, err := os.ReadFile(file)
		if found := regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)`).FindSubmatch(text); found != nil {
			modules[dir] = string(found[1])
		}
		return err
	}
	if !strings.HasSuffix(name, ".go") {
		return nil
	}
	syntax, _ := parser.ParseFile(files, file, nil, parser.SkipObjectResolution)
	if syntax == nil {
		return nil
	}
	here := dirs[dir]
	if here == nil {
		here = &directory{path: dir, packages: map[string][]*ast.File{}, leftOut: map[string]bool{}}
		dirs[dir] = here
	}
	if here.first == "" && !strings.HasSuffix(syntax.Name.Name, "_test") {
		here.first = file
	}
	if isBuilt, _ := build.Default.MatchFile(dir, name); isBuilt {
		here.packages[syntax.Name.Name] = append(here.packages[syntax.Name.Name], syntax)
		return nil
	}
	ast.Inspect(syntax, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncDecl:
			here.leftOut[node.Name.Name] = true
		case *ast.TypeSpec:
			here.leftOut[node.Name.Name] = true
		case *ast.Field:
			for _, name := range node.Names {
				here.leftOut[name.Name] = true
			}
		case *ast.ValueSpec:
			for _, name := range node.Names {
				here.leftOut[name.Name] = true
			}
		}
		return true
	})
	return nil
}

// Returns the directory of a package of the project.
func directoryOf(imported string) *directory {
	best, found := "", (*directory)(nil)
	for dir, module := range modules {
		rest := strings.TrimPrefix(imported, module)
		if strings.HasPrefix(imported, module) && (rest == "" || rest[0] == '/') && len(module) > len(best) {
			best, found = module, dirs[filepath.Join(dir, filepath.FromSlash(rest))]
		}
	}
	return found
}

// -- Type checking -----------------------------------------------------------------------------------------------

// Imports packages for one package, whose external tests see it together with its other tests.
type imports struct{ self *types.Package }

func (it imports) Import(name string) (*types.Package, error) {
	if it.self != nil && it.self.Path() == name {
		return it.self, nil
	}
	if found, known := imported[name]; known {
		if found == nil {
			return nil, errors.New("missing, or imports itself")
		}
		return found, nil
	}
	imported[name] = nil
	dir := directoryOf(name)
	if dir == nil {
		found, err := standard.Import(name)
		if err != nil {
			found = empty(name)
		}
		imported[name] = found
		return found, nil
	}
	var plain []*ast.File
	for _, file := range dir.packages[dir.importable()] {
		if !strings.HasSuffix(files.Position(file.Package).Filename, "_test.go") {
			plain = append(plain, file)
		}
	}
	imported[name], _ = checkFiles(name, plain, imports{})
	return imported[name], nil
}

// Returns a package without declarations in place of one that is not there.
func empty(name string) *types.Package {
	base := path.Base(name)
	if regexp.MustCompile(`^v[0-9]+$`).MatchString(base) {
		base = path.Base(path.Dir(name))
	}
	base = regexp.MustCompile(`\.v[0-9]+$`).ReplaceAllString(base, "")
	missing := types.NewPackage(name, base)
	missing.MarkComplete()
	return missing
}

// Returns the name of the package that an import of the directory means.
func (dir *directory) importable() string {
	best := ""
	for name, of := range dir.packages {
		isBetter := len(of) > len(dir.packages[best]) || len(of) == len(dir.packages[best]) && name < best
		if !strings.HasSuffix(name, "_test") && isBetter {
			best = name
		}
	}
	return best
}

func checkFiles(name string, of []*ast.File, from types.Importer) (*types.Package, *types.Info) {
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: from, Error: func(error) {}}
	checked, _ := config.Check(name, files, of, info)
	return checked, info
}

// Checks the packages of a directory, those of external tests last, and prints their facts.
func (dir *directory) check() []*types.Package {
	importPath := dir.path
	for around := dir.path; len(around) >= len(root); around = filepath.Dir(around) {
		if module, found := modules[around]; found {
			importPath = path.Join(module, filepath.ToSlash(strings.TrimPrefix(dir.path, around)))
			break
		}
	}
	var names []string
	for name := range dir.packages {
		names = append(names, name)
	}
	sort.Strings(names)
	var all []*types.Package
	var self *types.Package
	for _, name := range names {
		from, as := imports{}, importPath
		if strings.HasSuffix(name, "_test") {
			from, as = imports{self}, importPath+"_test"
		}
		checked, info := checkFiles(as, dir.packages[name], from)
		if name == dir.importable() {
			self = checked
		}
		for _, file := range dir.packages[name] {
			at := place{Path: placeOf(file.Package, "").Path}
			print(map[string]any{"kind": "covered", "path": at.Path, "line": 0, "name": "*", "relations": relations})
			ast.Walk(walker{&uses{dir, info, checked.Scope(), map[*ast.Ident]role{}}, at, at}, file)
		}
		all = append(all, checked)
	}
	return all
}

// -- Facts -------------------------------------------------------------------------------------------------------

func print(fact any) {
	line, err := json.Marshal(fact)
	if err != nil {
		panic(err)
	}
	if !printed[string(line)] {
		printed[string(line)] = true
		fmt.Fprintf(out, "%s\n", line)
	}
}

func placeOf(at token.Pos, name string) place {
	position := files.Position(at)
	return place{relative(position.Filename), position.Line, name}
}

// Returns the path of a file below DIR; empty for other files.
func relative(file string) string {
	inside, err := filepath.Rel(root, file)
	if err != nil || strings.HasPrefix(inside, "..") {
		return ""
	}
	return filepath.ToSlash(inside)
}

func edge(relation string, source, target place, at token.Pos) {
	print(map[string]any{"kind": "edge", "relation": relation, "source": source, "target": target,
		"at": files.Position(at).Line})
	if dir := dirs[filepath.Join(root, filepath.FromSlash(path.Dir(target.Path)))]; dir != nil && dir.leftOut[target.Name] {
		unknown([]string{relation}, source, target.Name, at)
	}
}

func unknown(relations []string, source place, name string, at token.Pos) {
	for _, relation := range relations {
		print(map[string]any{"kind": "unknown", "relation": relation, "source": source, "name": name,
			"at": files.Position(at).Line})
	}
}

// -- Uses --------------------------------------------------------------------------------------------------------

// What a name is used for, where that is more than to read a value or to name a type.
type role int

const (
	used role = iota
	called
	constructed
	asserted
	embedded
	assigned
	unjudged
	outside
)

// Uses of names in a package.
type uses struct {
	dir   *directory
	info  *types.Info
	scope *types.Scope
	roles map[*ast.Ident]role
}

// A visitor of the code of a declaration.
type walker struct {
	*uses
	file, owner place
}

func (it walker) Visit(node ast.Node) ast.Visitor {
	switch node := node.(type) {
	case *ast.FuncDecl:
		it.owner = placeOf(node.Name.Pos(), node.Name.Name)
		if node.Recv != nil {
			ast.Inspect(node.Recv, func(node ast.Node) bool {
				if name, isName := node.(*ast.Ident); isName {
					it.roles[name] = unjudged
				}
				return true
			})
		}
	case *ast.TypeSpec:
		it.owner = placeOf(node.Name.Pos(), node.Name.Name)
		it.bases(node.Type)
	case *ast.ValueSpec:
		return it.values(node)
	case *ast.Field:
		it = it.field(node)
	case *ast.ImportSpec:
		if dir := directoryOf(strings.Trim(node.Path.Value, "`\"")); dir != nil && dir.first != "" {
			edge("imports", it.file, place{Path: relative(dir.first)}, node.Pos())
		}
		return nil
	case *ast.CallExpr:
		it.call(node)
	case *ast.SelectorExpr:
		it.member(node)
	case *ast.CompositeLit:
		it.mark(node.Type, constructed)
		for _, element := range node.Elts {
			if pair, isPair := element.(*ast.KeyValueExpr); isPair {
				if key, isName := pair.Key.(*ast.Ident); isName && it.isField(key) {
					it.roles[key] = unjudged
				}
			}
		}
	case *ast.TypeAssertExpr:
		it.mark(node.Type, asserted)
	case *ast.TypeSwitchStmt:
		for _, clause := range node.Body.List {
			for _, named := range clause.(*ast.CaseClause).List {
				it.mark(named, asserted)
			}
		}
	case *ast.AssignStmt:
		for _, left := range node.Lhs {
			it.assign(left)
		}
	case *ast.IncDecStmt:
		it.assign(node.X)
	case *ast.Ident:
		it.use(node)
	}
	return it
}

// Each value of `var a, b = f(), g()` belongs to its own name.
func (it walker) values(node *ast.ValueSpec) ast.Visitor {
	of := func(at int) walker {
		if it.scope.Lookup(node.Names[at].Name) == it.info.Defs[node.Names[at]] || node.Names[at].Name == "_" && it.owner == it.file {
			it.owner = placeOf(node.Names[at].Pos(), node.Names[at].Name)
		}
		return it
	}
	if node.Type != nil {
		ast.Walk(of(0), node.Type)
	}
	for at, value := range node.Values {
		if len(node.Values) != len(node.Names) {
			at = 0
		}
		ast.Walk(of(at), value)
	}
	return nil
}

func (it walker) field(node *ast.Field) walker {
	for at, name := range node.Names {
		object := it.info.Defs[name]
		field, isField := object.(*types.Var)
		_, isMethod := object.(*types.Func)
		if at == 0 && (isMethod || isField && field.IsField()) {
			it.owner = placeOf(name.Pos(), name.Name)
		}
	}
	return it
}

// Marks the types that a struct or an interface embeds.
func (it walker) bases(node ast.Expr) {
	var fields *ast.FieldList
	switch node := node.(type) {
	case *ast.StructType:
		fields = node.Fields
	case *ast.InterfaceType:
		fields = node.Methods
	default:
		return
	}
	for _, field := range fields.List {
		if len(field.Names) == 0 {
			it.mark(field.Type, embedded)
		}
	}
}

func (it walker) call(node *ast.CallExpr) {
	callee, isName := lastName(node.Fun)
	if !isName {
		return
	}
	switch object := it.info.Uses[callee].(type) {
	case *types.TypeName:
		it.roles[callee] = unjudged
	case *types.Builtin:
		if object.Name() == "new" && len(node.Args) == 1 {
			it.mark(node.Args[0], unjudged)
		}
	default:
		it.roles[callee] = called
	}
}

// Marks the names of other packages, which mean no declaration of the project even if the package is missing.
func (it walker) member(node *ast.SelectorExpr) {
	if qualifier, isName := node.X.(*ast.Ident); isName {
		of, isPackage := it.info.Uses[qualifier].(*types.PkgName)
		if isPackage && directoryOf(of.Imported().Path()) == nil {
			it.roles[node.Sel] = outside
		}
	}
}

// Marks a variable or field that gets a value; one whose element or target does is only read.
func (it walker) assign(node ast.Expr) {
	switch node.(type) {
	case *ast.Ident, *ast.SelectorExpr:
		it.mark(node, assigned)
	}
}

// Gives a name at the end of an expression a role.
func (it walker) mark(node ast.Expr, as role) {
	if name, isName := lastName(node); isName {
		it.roles[name] = as
	}
}

// Returns the name that an expression ends with, without type arguments.
func lastName(node ast.Expr) (*ast.Ident, bool) {
	switch node := node.(type) {
	case *ast.Ident:
		return node, true
	case *ast.SelectorExpr:
		return node.Sel, true
	case *ast.ParenExpr:
		return lastName(node.X)
	case *ast.StarExpr:
		return lastName(node.X)
	case *ast.IndexExpr:
		return lastName(node.X)
	case *ast.IndexListExpr:
		return lastName(node.X)
	}
	return nil, false
}

func (it walker) isField(name *ast.Ident) bool {
	field, isVariable := it.info.Uses[name].(*types.Var)
	return isVariable && field.IsField()
}

func (it walker) use(name *ast.Ident) {
	// The name of an embedded type is a use and declares a field.
	object := it.info.Uses[name]
	if _, isDeclared := it.info.Defs[name]; object == nil && isDeclared || it.roles[name] == outside {
		return
	}
	if object == nil {
		if name.Name != "_" {
			unknown(relations, it.owner, name.Name, name.Pos())
		}
		return
	}
	as, target := it.roles[name], placeOf(object.Pos(), object.Name())
	if target.Path == "" || !object.Pos().IsValid() {
		return
	}
	isGlobal := object.Parent() != nil && object.Parent() == object.Pkg().Scope()
	relation := ""
	switch object := object.(type) {
	case *types.Func:
		if as == called {
			relation = "calls"
		}
	case *types.TypeName:
		_, isParameter := object.Type().(*types.TypeParam)
		switch {
		case isParameter:
			return
		case as == unjudged:
			unknown(typeRelations, it.owner, name.Name, name.Pos())
			return
		case as == embedded:
			unknown([]string{"uses_type"}, it.owner, name.Name, name.Pos())
		}
		relation = map[role]string{constructed: "instantiates", asserted: "asserts_type", embedded: "inherits"}[as]
		if relation == "" {
			relation = "uses_type"
		}
	case *types.Const:
		if isGlobal {
			relation = "uses_constant"
		}
	case *types.Var:
		switch {
		case as == called && (object.IsField() || isGlobal):
			unknown([]string{"calls", "reads_from", "uses_global"}, it.owner, name.Name, name.Pos())
		case as == unjudged:
			unknown([]string{"assigns_to", "reads_from"}, it.owner, name.Name, name.Pos())
		case object.IsField() && as == assigned || isGlobal && as == assigned:
			relation = "assigns_to"
			unknown([]string{"uses_global", "reads_from"}, it.owner, name.Name, name.Pos())
		case object.IsField():
			relation = "reads_from"
		case isGlobal:
			relation = "uses_global"
		}
	}
	if relation == "" {
		return
	}
	edge(relation, it.owner, target, name.Pos())
}

// -- Interfaces --------------------------------------------------------------------------------------------------

// Prints which types of the project have the methods of its interfaces, and which methods replace others.
func implementations(all []*types.Package) {
	var named []*types.TypeName
	for _, of := range all {
		for _, name := range of.Scope().Names() {
			declared, isType := of.Scope().Lookup(name).(*types.TypeName)
			if !isType || declared.IsAlias() || declared.Type().Underlying() == types.Typ[types.Invalid] {
				continue
			}
			if relative(files.Position(declared.Pos()).Filename) != "" {
				named = append(named, declared)
			}
		}
	}
	for _, declared := range named {
		shadowed(declared)
	}
	for _, wanted := range named {
		contract, isInterface := wanted.Type().Underlying().(*types.Interface)
		if !isInterface || contract.NumMethods() == 0 || !contract.IsMethodSet() || isGeneric(wanted) {
			continue
		}
		for _, declared := range named {
			pointer := types.NewPointer(declared.Type())
			if types.IsInterface(declared.Type()) || isGeneric(declared) || !types.Implements(pointer, contract) {
				continue
			}
			source := placeOf(declared.Pos(), declared.Name())
			edge("implements", source, placeOf(wanted.Pos(), wanted.Name()), declared.Pos())
			for at := 0; at < contract.NumMethods(); at++ {
				method := contract.Method(at)
				found, _, _ := types.LookupFieldOrMethod(pointer, true, method.Pkg(), method.Name())
				if found != nil {
					override(found, method)
				}
			}
		}
	}
}

// Prints which methods of a type hide those of a type that it embeds.
func shadowed(declared *types.TypeName) {
	named, isNamed := declared.Type().(*types.Named)
	structure, isStruct := declared.Type().Underlying().(*types.Struct)
	if !isNamed || !isStruct {
		return
	}
	for at := 0; at < named.NumMethods(); at++ {
		method := named.Method(at)
		for in := 0; in < structure.NumFields(); in++ {
			if !structure.Field(in).Embedded() {
				continue
			}
			found, _, _ := types.LookupFieldOrMethod(structure.Field(in).Type(), true, declared.Pkg(), method.Name())
			if hidden, isMethod := found.(*types.Func); isMethod {
				override(method, hidden)
			}
		}
	}
}

func override(method, overridden types.Object) {
	from, to := placeOf(method.Pos(), method.Name()), placeOf(overridden.Pos(), overridden.Name())
	if from.Path != "" && to.Path != "" && from != to {
		edge("overrides", from, to, method.Pos())
	}
}

func isGeneric(declared *types.TypeName) bool {
	named, isNamed := declared.Type().(*types.Named)
	return isNamed && named.TypeParams().Len() > 0
}
