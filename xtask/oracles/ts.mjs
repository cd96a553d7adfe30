// What the TypeScript checker says of a package's edges, as facts (see `xtask/src/oracle/script.rs`).
//
//     node ts.mjs DIR NODE_MODULES
//
// NODE_MODULES is where `typescript` is installed. A program is built of all source files below DIR, with the
// options of its `tsconfig.json` if there is one. Which declarations are symbols, and what they are called, follows
// `fixtures/parser/ts`.
//
// Where TypeScript has one thing and SSCG several declarations, one of them stands for all: of overloads the one
// with a body, or the first; of declarations that merge, the one that `rank` puts first. A name that is both a type
// and a value means the one that its use asks for, and an import of it means both.
//
// A call goes to what its callee names, if that is a declaration (a function, a method, a constant or a property that
// holds a function, also where a local variable is taken from it, or `call` or `apply` runs it), and otherwise to the
// declaration of the signature that the checker chose. The members of a constant that is an object are those that the
// object is written with, whatever type it is declared to have.

import { createRequire } from "node:module";
import * as path from "node:path";
import { fileURLToPath } from "node:url";

const [dir, modules] = process.argv.slice(2);
if (!dir || !modules) {
  console.error(`usage: node ${fileURLToPath(import.meta.url)} DIR NODE_MODULES`);
  process.exit(2);
}
const ts = createRequire(path.join(path.resolve(modules), "/"))("typescript");
const root = path.resolve(dir);

const RELATIONS = ["calls", "instantiates", "imports", "inherits", "implements", "decorates", "uses_type", "overrides"];
const EXTENSIONS = [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"];

const program = ts.createProgram(sourceFiles(), compilerOptions());
const checker = program.getTypeChecker();
const out = [];

// -- The program -------------------------------------------------------------------------------------------------

function sourceFiles() {
  return ts.sys.readDirectory(root, EXTENSIONS, ["**/node_modules/**", "**/.*/**"]);
}

function compilerOptions() {
  const options = {
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    jsx: ts.JsxEmit.Preserve,
    strict: true,
    experimentalDecorators: true,
  };
  const config = path.join(root, "tsconfig.json");
  if (ts.sys.fileExists(config)) {
    const { config: json } = ts.readConfigFile(config, ts.sys.readFile);
    Object.assign(options, ts.parseJsonConfigFileContent(json ?? {}, ts.sys, root).options);
  } else {
    Object.assign(options, ownPaths());
  }
  return { ...options, allowJs: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true };
}

// A package that imports itself by its name says in the `tsconfig.json` of its repository where its sources are, which
// few packages ship; they lie as the paths in its name do.
function ownPaths() {
  const manifest = ts.readConfigFile(path.join(root, "package.json"), ts.sys.readFile).config;
  if (!manifest?.name) return {};
  const inside = (place) => [`./src/${place}`, `./src/${place}/index.ts`, `./src/${place}.ts`];
  return { baseUrl: root, paths: { [manifest.name]: ["./src/index.ts"], [`${manifest.name}/*`]: inside("*") } };
}

function isOfProject(file) {
  const inside = file.fileName.startsWith(root + "/") && !pathOf(file).split("/").includes("node_modules");
  return inside && !file.fileName.endsWith(".json");
}

function pathOf(file) {
  return path.relative(root, file.fileName).split(path.sep).join("/");
}

function print(fact) {
  out.push(JSON.stringify(fact) + "\n");
}

// -- Declarations ------------------------------------------------------------------------------------------------

function lineOf(node) {
  const file = node.getSourceFile();
  return file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
}

// What stands for a declaration among SSCG's symbols; undefined if it has none.
function placeOf(node) {
  const file = node.getSourceFile();
  if (ts.isSourceFile(node)) return { path: pathOf(file), line: 0, name: "" };
  const named = nameOf(node);
  return named && { path: pathOf(file), line: lineOf(named.at), name: named.name };
}

// The name of a declaration that is a symbol, and the node it stands at.
function nameOf(node) {
  if (ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node)) {
    return node.name ? { name: node.name.text, at: node.name } : { name: "default", at: afterDecorators(node) };
  }
  if (ts.isClassExpression(node)) {
    if (isHeld(node)) return undefined;
    return { name: node.name?.text ?? "class", at: node.name ?? node };
  }
  if (ts.isFunctionExpression(node)) {
    return node.name && !isHeld(node) ? { name: node.name.text, at: node.name } : undefined;
  }
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isEnumDeclaration(node)) {
    return { name: node.name.text, at: node.name };
  }
  if (ts.isModuleDeclaration(node)) return moduleName(node);
  if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name)) {
    return isAtTop(node) || isFunctionOrClass(node.initializer) ? { name: node.name.text, at: node.name } : undefined;
  }
  if (ts.isBindingElement(node) && ts.isIdentifier(node.name)) {
    const variable = ts.walkUpBindingElementsAndPatterns(node);
    return ts.isVariableDeclaration(variable) && isAtTop(variable)
      ? { name: node.name.text, at: node.name }
      : undefined;
  }
  if (ts.isParameter(node)) {
    return ts.isParameterPropertyDeclaration(node, node.parent) ? { name: node.name.text, at: node.name } : undefined;
  }
  if (ts.isConstructorDeclaration(node)) return { name: "constructor", at: afterDecorators(node) };
  if (ts.isCallSignatureDeclaration(node)) return isInType(node) ? { name: "()", at: node } : undefined;
  if (ts.isConstructSignatureDeclaration(node)) return isInType(node) ? { name: "new", at: node } : undefined;
  if (ts.isIndexSignatureDeclaration(node)) {
    if (!isInType(node) && !ts.isClassLike(node.parent)) return undefined;
    return { name: `[${node.parameters[0].getText()}]`, at: node };
  }
  if (ts.isMethodSignature(node) || ts.isPropertySignature(node)) return isInType(node) ? memberName(node) : undefined;
  if (ts.isPropertyDeclaration(node) || ts.isEnumMember(node)) return memberName(node);
  if (ts.isMethodDeclaration(node) || ts.isAccessor(node)) {
    if (ts.isInterfaceDeclaration(node.parent) || ts.isTypeLiteralNode(node.parent)) {
      return isInType(node) ? memberName(node) : undefined;
    }
    return ts.isClassLike(node.parent) || isMemberOfObject(node) ? memberName(node) : undefined;
  }
  if (ts.isPropertyAssignment(node)) return isMemberOfObject(node) ? memberName(node) : undefined;
  if (ts.isExportAssignment(node)) {
    return ts.isIdentifier(unwrap(node.expression)) ? undefined : { name: "default", at: node };
  }
  if (ts.isBinaryExpression(node)) return assignedName(node);
  return undefined;
}

function afterDecorators(node) {
  const decorators = ts.getDecorators?.(node) ?? [];
  return decorators.length ? (node.modifiers.find((it) => !ts.isDecorator(it)) ?? node.members ?? node) : node;
}

// `namespace A.B` is one declaration, which the outermost node stands for.
function moduleName(node) {
  if (ts.isModuleDeclaration(node.parent)) return undefined;
  const names = [node.name.text];
  for (let inner = node.body; inner && ts.isModuleDeclaration(inner); inner = inner.body) names.push(inner.name.text);
  return { name: names.join("."), at: node.name };
}

function memberName(node) {
  const { name } = node;
  if (ts.isComputedPropertyName(name) && ts.isStringLiteralLike(name.expression)) {
    return { name: name.expression.text, at: name };
  }
  return { name: ts.isStringLiteral(name) ? name.text : name.getText(), at: name };
}

// `exports.name = value`, `Queue.prototype.push = function () {}`, `this.db = db` in a constructor.
function assignedName(node) {
  const left = node.left;
  if (node.operatorToken.kind !== ts.SyntaxKind.EqualsToken || !ts.isPropertyAccessExpression(left)) return undefined;
  const isThis = left.expression.kind === ts.SyntaxKind.ThisKeyword;
  if (isThis ? !ts.findAncestor(node, ts.isConstructorDeclaration) : !isFunctionOrClass(node.right)) return undefined;
  return { name: left.name.text, at: left.name };
}

// Whether a variable is declared at the top of a file or namespace.
function isAtTop(variable) {
  const statement = variable.parent.parent;
  return ts.isVariableStatement(statement) && (ts.isSourceFile(statement.parent) || ts.isModuleBlock(statement.parent));
}

// Whether a signature is one of an interface, or of the object type that an alias is.
function isInType(member) {
  return ts.isInterfaceDeclaration(member.parent) || ts.isTypeAliasDeclaration(member.parent.parent);
}

function unwrap(expression) {
  return expression && ts.skipOuterExpressions(expression);
}

function isFunctionOrClass(expression) {
  const value = unwrap(expression);
  return value !== undefined && (isFunction(value) || ts.isClassExpression(value));
}

function isFunction(value) {
  return ts.isFunctionExpression(value) || ts.isArrowFunction(value);
}

// The declaration whose value an expression is.
function holderOf(expression) {
  let node = expression;
  while (ts.isOuterExpression(node.parent)) node = node.parent;
  const { parent } = node;
  const isValue =
    ((ts.isVariableDeclaration(parent) || ts.isPropertyDeclaration(parent) || ts.isPropertyAssignment(parent)) &&
      parent.initializer === node) ||
    ts.isExportAssignment(parent) ||
    (ts.isBinaryExpression(parent) && parent.right === node);
  return isValue ? parent : undefined;
}

// Whether a value is that of a declaration, which stands for it.
function isHeld(value) {
  const holder = holderOf(value);
  return holder !== undefined && nameOf(holder) !== undefined;
}

// Whether a property of an object is a member of a declaration: the object is its value, and has functions.
function isMemberOfObject(property) {
  const object = property.parent;
  const holder = ts.isObjectLiteralExpression(object) ? holderOf(object) : undefined;
  if (!holder || !nameOf(holder)) return false;
  const holds = (it) => it.properties.some((p) => ts.isMethodDeclaration(p) || ts.isAccessor(p) || holdsFunction(p));
  const value = ts.isPropertyAssignment(property) ? unwrap(property.initializer) : undefined;
  return holds(object) || (value !== undefined && ts.isObjectLiteralExpression(value) && holds(value));
}

function holdsFunction(property) {
  return ts.isPropertyAssignment(property) && isFunction(unwrap(property.initializer));
}

// The innermost declaration around a node.
function ownerOf(node) {
  for (let at = node; ; at = at.parent) {
    if (ts.isSourceFile(at)) return placeOf(at);
    // What a pattern takes apart belongs to its first name.
    if (ts.isVariableDeclaration(at) && !ts.isIdentifier(at.name) && isAtTop(at)) {
      const first = firstName(at.name);
      if (first) return placeOf(first);
    }
    // The parameters of a constructor are its own.
    const place = ts.isParameter(at) ? undefined : placeOf(at);
    if (place) return place;
  }
}

function firstName(pattern) {
  for (const element of pattern.elements) {
    if (!ts.isBindingElement(element)) continue;
    const found = ts.isIdentifier(element.name) ? element : firstName(element.name);
    if (found) return found;
  }
  return undefined;
}

// -- Symbols of the checker --------------------------------------------------------------------------------------

const TYPE = ts.SymbolFlags.Type;

function resolved(symbol) {
  return symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

// Of declarations that merge, the lowest stands for all.
function rank(node, wantsType) {
  if (ts.isClassLike(node)) return 0;
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return wantsType ? 1 : 4;
  if (ts.isEnumDeclaration(node)) return 1;
  if (ts.isModuleDeclaration(node)) return 5;
  return wantsType ? 3 : 2;
}

function isTypeNode(node) {
  const isNamedType = ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node);
  return isNamedType || ts.isClassLike(node) || ts.isEnumDeclaration(node);
}

// The symbol's declarations in the project, with overloads as one, and the two functions of an accessor.
function declarationsOf(symbol) {
  const all = (symbol?.declarations ?? []).filter((node) => isOfProject(node.getSourceFile()));
  const groups = new Map();
  for (const node of all) {
    const key = ts.isFunctionLike(node) ? node.parent : node;
    const known = groups.get(key);
    if (!known || (!known.body && node.body)) groups.set(key, node);
  }
  return [...groups.values()];
}

// Where SSCG has what a symbol means when it is used as a type, or as a value.
function placesOf(symbol, wantsType) {
  const found = declarationsOf(symbol)
    .map((node) => (ts.isFunctionExpression(node) && isHeld(node) ? holderOf(node) : node))
    .map((node) => ({ node, place: placeOf(node), rank: rank(node, wantsType) }))
    .filter((it) => it.place);
  if (symbol?.flags & ts.SymbolFlags.Property || symbol?.flags & ts.SymbolFlags.Method) return distinct(found);
  const best = Math.min(...found.map((it) => it.rank));
  return distinct(found.filter((it) => it.rank === best).slice(0, 1));
}

function distinct(found) {
  const places = new Map(found.map(({ place }) => [`${place.path}:${place.line}:${place.name}`, place]));
  return [...places.values()];
}

function edges(relation, node, targets, source = ownerOf(node)) {
  for (const target of targets) print({ kind: "edge", relation, source, target, at: lineOf(node) });
}

function unknown(relation, node, name) {
  print({ kind: "unknown", relation, source: ownerOf(node), name, at: lineOf(node) });
}

// -- Uses --------------------------------------------------------------------------------------------------------

function visit(node) {
  if (ts.isCallExpression(node)) call(node);
  else if (ts.isNewExpression(node)) construction(node);
  else if (ts.isTaggedTemplateExpression(node)) callOf(node, node.tag);
  else if (ts.isJsxOpeningElement(node) || ts.isJsxSelfClosingElement(node)) element(node);
  else if (ts.isImportDeclaration(node)) importDeclaration(node);
  else if (ts.isExportDeclaration(node)) exportDeclaration(node);
  else if (ts.isImportEqualsDeclaration(node)) importEquals(node);
  else if (ts.isImportTypeNode(node)) importType(node);
  else if (ts.isHeritageClause(node)) heritage(node);
  else if (ts.isDecorator(node)) decorator(node);
  else if (ts.isTypeReferenceNode(node)) typeUse(node, node.typeName, true);
  else if (ts.isTypeQueryNode(node) && !ts.isImportTypeNode(node.exprName)) typeUse(node, node.exprName, false);
  if (ts.isClassLike(node) || ts.isInterfaceDeclaration(node)) overrides(node);
  ts.forEachChild(node, visit);
}

function call(node) {
  if (ts.isDecorator(node.parent)) return;
  if (node.expression.kind === ts.SyntaxKind.ImportKeyword || isRequire(node)) {
    if (!isBoundRequire(node)) moduleEdge(node, node.arguments[0]);
    return;
  }
  if (node.expression.kind === ts.SyntaxKind.SuperKeyword) return superCall(node);
  callOf(node, node.expression);
}

// The name at the end of a callee.
function lastName(expression) {
  const callee = unwrap(expression);
  if (ts.isIdentifier(callee)) return callee;
  return ts.isPropertyAccessExpression(callee) ? callee.name : undefined;
}

function callOf(node, callee) {
  const name = lastName(callee);
  const symbol = name && resolved(memberOfConstant(callee) ?? checker.getSymbolAtLocation(name));
  if (runsFunction(symbol)) return callOf(node, unwrap(callee).expression);
  const targets = placesOf((symbol && takenFrom(symbol)) ?? symbol, false);
  if (targets.length) return edges("calls", name, targets);
  const declaration = checker.getResolvedSignature(node)?.declaration;
  if (declaration && isOfProject(declaration.getSourceFile())) {
    const place = signaturePlace(declaration);
    if (place) edges("calls", name ?? node, [place]);
    return;
  }
  if (name && !declaration && checker.getTypeAtLocation(callee).flags & ts.TypeFlags.Any) {
    unknown("calls", name, name.text);
  }
}

// Whether a symbol is the method `call` or `apply` of functions, which runs the function.
function runsFunction(symbol) {
  const isNamed = symbol?.name === "call" || symbol?.name === "apply";
  return isNamed && ["Function", "CallableFunction", "NewableFunction"].includes(symbol.parent?.name) && !declarationsOf(symbol).length;
}

// The member that a local variable is taken from an object as: `const { send } = this.mailer`.
function takenFrom(symbol) {
  const [element] = symbol.declarations ?? [];
  if (!element || !ts.isBindingElement(element) || placeOf(element) || element.dotDotDotToken) return undefined;
  const key = element.propertyName ?? element.name;
  return ts.isIdentifier(key) ? checker.getTypeAtLocation(element.parent).getProperty(key.text) : undefined;
}

// The property that `constant.name` has in the object that the constant is.
function memberOfConstant(callee) {
  const member = unwrap(callee);
  if (!ts.isPropertyAccessExpression(member)) return undefined;
  const object = lastName(member.expression);
  const [variable] = (object && resolved(checker.getSymbolAtLocation(object))?.declarations) ?? [];
  const isConstant = variable && ts.isVariableDeclaration(variable) && ts.isVarConst(variable);
  const value = isConstant ? unwrap(variable.initializer) : undefined;
  if (!value || !ts.isObjectLiteralExpression(value)) return undefined;
  const property = value.symbol.members?.get(member.name.text);
  return property && declarationsOf(property).some(placeOf) ? property : undefined;
}

// The declaration that a signature is of: the function or method, or what holds it.
function signaturePlace(declaration) {
  const symbol = declaration.symbol;
  const [place] = isFunction(declaration) ? [] : placesOf(symbol, false);
  if (place) return place;
  const holder = isFunction(declaration) ? holderOf(declaration) : undefined;
  return (holder && placeOf(holder)) ?? placeOf(declaration);
}

function superCall(node) {
  const declaration = checker.getResolvedSignature(node)?.declaration;
  if (declaration && ts.isConstructorDeclaration(declaration)) {
    const [implementation] = declarationsOf(declaration.symbol);
    if (implementation && isOfProject(implementation.getSourceFile())) edges("calls", node, [placeOf(implementation)]);
    return;
  }
  const [base] = ts.getEffectiveBaseTypeNode ? [ts.getEffectiveBaseTypeNode(ts.getContainingClass(node))] : [];
  const name = base && lastName(base.expression);
  if (name) edges("instantiates", node, placesOf(resolved(checker.getSymbolAtLocation(name)), true));
}

function construction(node) {
  const name = lastName(node.expression);
  const symbol = name && resolved(checker.getSymbolAtLocation(name));
  const named = placesOf(symbol, false);
  if (named.length) {
    const isPlainFunction = declarationsOf(symbol).some(ts.isFunctionDeclaration) && !(symbol.flags & ts.SymbolFlags.Class);
    return edges(isPlainFunction ? "calls" : "instantiates", name, named);
  }
  const type = checker.getTypeAtLocation(node.expression);
  const made = type.symbol && type.symbol.flags & ts.SymbolFlags.Class ? placesOf(type.symbol, true) : [];
  if (made.length) edges("instantiates", name ?? node, made);
  else if (name && type.flags & ts.TypeFlags.Any) unknown("instantiates", name, name.text);
}

function element(node) {
  const name = lastName(node.tagName);
  if (name && !ts.isIntrinsicJsxName?.(name.text)) callOf(node, node.tagName);
}

function decorator(node) {
  const expression = unwrap(node.expression);
  const callee = ts.isCallExpression(expression) ? expression.expression : expression;
  const name = lastName(callee);
  const symbol = name && resolved(checker.getSymbolAtLocation(name));
  edges("decorates", node, placesOf(symbol, false), ownerOf(node.parent));
}

// -- Types -------------------------------------------------------------------------------------------------------

function typeUse(node, name, wantsType) {
  if (ts.isIdentifier(name) && name.text === "const") return;
  const last = ts.isQualifiedName(name) ? name.right : name;
  const symbol = resolved(checker.getSymbolAtLocation(last));
  if (!symbol || symbol.flags & ts.SymbolFlags.TypeParameter) return;
  edges(isAsserted(node) ? "asserts_type" : "uses_type", last, placesOf(symbol, wantsType && !!(symbol.flags & TYPE)));
}

// Whether a cast or a type predicate names the type; casts have a relation of their own.
function isAsserted(node) {
  let at = node;
  while (ts.isUnionTypeNode(at.parent) || ts.isIntersectionTypeNode(at.parent)) at = at.parent;
  if (at !== node && ts.isTypeQueryNode(node)) return false;
  if (ts.isTypeQueryNode(node)) return false;
  const { parent } = at;
  return (
    ((ts.isAsExpression(parent) || ts.isTypeAssertionExpression(parent)) && parent.type === at) ||
    (ts.isTypePredicateNode(parent) && parent.type === at)
  );
}

function heritage(clause) {
  const isImplements = clause.token === ts.SyntaxKind.ImplementsKeyword;
  for (const base of clause.types) {
    const name = lastName(base.expression);
    const symbol = name && resolved(checker.getSymbolAtLocation(name));
    if (symbol) edges(isImplements ? "implements" : "inherits", name, placesOf(symbol, true));
  }
}

// The nearest declaration of each method's name in what its type extends or implements, in the order of the text.
function overrides(node) {
  const bases = (node.heritageClauses ?? []).flatMap((clause) => clause.types);
  if (!bases.length) return;
  for (const member of node.members) {
    const isMethod =
      ts.isMethodDeclaration(member) ||
      ts.isMethodSignature(member) ||
      ts.isAccessor(member) ||
      (ts.isPropertyDeclaration(member) && member.initializer && isFunction(unwrap(member.initializer)));
    const isPrivate = ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private;
    if (!isMethod || isPrivate || !member.name || ts.isPrivateIdentifier(member.name)) continue;
    const isStatic = ts.isStatic(member);
    const replaced = replacedBy(member, bases, isStatic);
    if (replaced) edges("overrides", member.name, replaced, placeOf(member));
  }
}

function replacedBy(member, bases, isStatic) {
  for (const base of bases) {
    const isClause = ts.isHeritageClause(base.parent) && base.parent.token === ts.SyntaxKind.ImplementsKeyword;
    if (isStatic && isClause) continue;
    const type = isStatic ? checker.getTypeAtLocation(base.expression) : checker.getTypeAtLocation(base);
    // The checker finds no property by the name that it gives to a computed one.
    const key = keyOf(member);
    const property = type.getProperties().find((it) => it.escapedName === key);
    if (!property || ts.getDeclarationModifierFlagsFromSymbol?.(property) & ts.ModifierFlags.Private) continue;
    // A class may implement itself, or rather the interface that its own declaration makes.
    const places = placesOf(property, false).filter((place) => !isSamePlace(place, placeOf(member)));
    if (places.length) return places;
  }
  return undefined;
}

// What the checker calls a member; one with a computed name has it from the value of that.
function keyOf(member) {
  return (ts.isComputedPropertyName(member.name) && checker.getSymbolAtLocation(member.name)?.escapedName) || member.symbol.escapedName;
}

function isSamePlace(a, b) {
  return a.path === b.path && a.line === b.line && a.name === b.name;
}

// -- Imports -----------------------------------------------------------------------------------------------------

// What an imported or exported name denotes: a file, or a type, a value, or both.
function importEdges(node, symbol, source) {
  const target = resolved(symbol);
  if (!target) return;
  const declarations = declarationsOf(target);
  const file = declarations.find(ts.isSourceFile);
  if (file) return edges("imports", node, [placeOf(file)], source);
  const types = declarations.some(isTypeNode) ? placesOf(target, true) : [];
  const isValue = declarations.some((it) => !isTypeNode(it) || ts.isClassLike(it) || ts.isEnumDeclaration(it));
  const values = isValue ? placesOf(target, false) : [];
  edges("imports", node, distinct([...types, ...values].map((place) => ({ place }))), source);
}

function moduleEdge(node, specifier, source) {
  if (!specifier || !ts.isStringLiteralLike(specifier)) return;
  const symbol = checker.getSymbolAtLocation(specifier);
  const file = declarationsOf(symbol).find(ts.isSourceFile) ?? resolvedFile(node.getSourceFile(), specifier);
  if (file) edges("imports", node, [placeOf(file)], source);
}

// A file without imports and exports is no module, but can be imported for its effects.
function resolvedFile(from, specifier) {
  const mode = ts.getModeForUsageLocation?.(from, specifier, program.getCompilerOptions());
  const found = program.getResolvedModule?.(from, specifier.text, mode)?.resolvedModule?.resolvedFileName;
  const file = found && program.getSourceFile(found);
  return file && isOfProject(file) ? file : undefined;
}

function importDeclaration(node) {
  const clause = node.importClause;
  const bindings = clause?.namedBindings;
  if (!clause || (bindings && ts.isNamespaceImport(bindings))) moduleEdge(node, node.moduleSpecifier);
  if (clause?.name) importEdges(clause.name, checker.getSymbolAtLocation(clause.name));
  if (bindings && ts.isNamedImports(bindings)) {
    if (!bindings.elements.length && !clause.name) moduleEdge(node, node.moduleSpecifier);
    for (const element of bindings.elements) importEdges(element, checker.getSymbolAtLocation(element.name));
  }
}

function exportDeclaration(node) {
  if (!node.exportClause || ts.isNamespaceExport(node.exportClause)) {
    if (node.moduleSpecifier) moduleEdge(node, node.moduleSpecifier);
    return;
  }
  for (const element of node.exportClause.elements) {
    const symbol = checker.getExportSpecifierLocalTargetSymbol(element);
    if (node.moduleSpecifier) importEdges(element, checker.getSymbolAtLocation(element.name));
    else if (symbol && symbol.flags & ts.SymbolFlags.Alias) importEdges(element, symbol);
  }
}

function importEquals(node) {
  if (ts.isExternalModuleReference(node.moduleReference)) moduleEdge(node, node.moduleReference.expression);
}

function importType(node) {
  const specifier = ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined;
  if (!node.qualifier) return moduleEdge(node, specifier);
  let first = node.qualifier;
  while (ts.isQualifiedName(first)) first = first.left;
  importEdges(node, checker.getSymbolAtLocation(first));
  typeUse(node, node.qualifier, !node.isTypeOf);
}

function isRequire(node) {
  const isNamed = ts.isIdentifier(node.expression) && node.expression.text === "require";
  return isNamed && node.arguments.length === 1 && ts.isStringLiteralLike(node.arguments[0]);
}

// `const { a } = require("./b")` and `const { a } = await import("./b")` name what they take.
function isBoundRequire(node) {
  const variable = ts.isAwaitExpression(node.parent) ? node.parent.parent : node.parent;
  if (!ts.isVariableDeclaration(variable) || !ts.isObjectBindingPattern(variable.name)) return false;
  for (const binding of variable.name.elements) {
    if (ts.isIdentifier(binding.name)) importEdges(binding, resolved(checker.getSymbolAtLocation(binding.name)), ownerOf(variable.parent));
  }
  return true;
}

for (const file of program.getSourceFiles()) {
  if (isOfProject(file)) {
    print({ kind: "covered", path: pathOf(file), line: 0, name: "*", relations: RELATIONS });
    visit(file);
  }
}
process.stdout.write(out.join(""));
