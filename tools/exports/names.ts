/** What a module exports, and what it takes from others, by its syntax alone. */
import * as ts from "typescript";

/** Everything that a module exports. */
export const ALL = "*";

/** Names that a module takes from another one. */
interface Taken {
  /** As it is written: `./chain.js`. */
  readonly from: string;
  readonly names: readonly string[];
}

interface ModuleNames {
  /** With their lines. Not `default`, and not what is passed on from another module. */
  readonly exported: ReadonlyMap<string, number>;
  readonly taken: readonly Taken[];
}

/** @param path ends with the extension of its language */
export function readModule(path: string, text: string): ModuleNames {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const exported = new Map<string, number>();
  const taken: Taken[] = [];
  const note = (name: ts.Node & { readonly text: string }): void =>
    void exported.set(name.text, file.getLineAndCharacterOfPosition(name.getStart()).line + 1);
  for (const statement of file.statements) for (const name of exportedBy(statement)) note(name);
  const visit = (node: ts.Node): void => {
    const found = takenBy(node, file);
    if (found) taken.push(found);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return { exported, taken };
}

/** The names that a statement declares and exports. */
function exportedBy(statement: ts.Statement): ts.Identifier[] {
  if (ts.isExportDeclaration(statement)) {
    if (statement.moduleSpecifier || !statement.exportClause || !ts.isNamedExports(statement.exportClause)) return [];
    return statement.exportClause.elements.map(({ name }) => name).filter(ts.isIdentifier);
  }
  const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
  const isExported = modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  if (!isExported || modifiers.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword)) return [];
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) => identifiersIn(name));
  const { name } = statement as ts.DeclarationStatement;
  return name && ts.isIdentifier(name) ? [name] : [];
}

/** The names that a pattern binds. */
const identifiersIn = (name: ts.BindingName): ts.Identifier[] =>
  ts.isIdentifier(name)
    ? [name]
    : name.elements.flatMap((element) => (ts.isBindingElement(element) ? identifiersIn(element.name) : []));

function takenBy(node: ts.Node, file: ts.SourceFile): Taken | undefined {
  if (ts.isImportDeclaration(node)) return ofModule(node.moduleSpecifier, importedBy(node.importClause, file));
  if (ts.isExportDeclaration(node) && node.moduleSpecifier)
    return ofModule(node.moduleSpecifier, passedOnBy(node.exportClause));
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    const { qualifier } = node;
    const first = qualifier && (ts.isIdentifier(qualifier) ? qualifier : firstOf(qualifier));
    return ofModule(node.argument.literal, [first?.text ?? ALL]);
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    return ofModule(node.arguments[0], takenOfPromise(node));
  return undefined;
}

const ofModule = (specifier: ts.Node | undefined, names: readonly string[]): Taken | undefined =>
  specifier && ts.isStringLiteralLike(specifier) ? { from: specifier.text, names } : undefined;

const firstOf = (name: ts.QualifiedName): ts.Identifier =>
  ts.isIdentifier(name.left) ? name.left : firstOf(name.left);

function importedBy(clause: ts.ImportClause | undefined, file: ts.SourceFile): string[] {
  const bindings = clause?.namedBindings;
  if (!bindings) return [];
  return ts.isNamespaceImport(bindings) ? membersOf(bindings.name, file) : bindings.elements.map(nameThere);
}

/** The name that a specifier has where it comes from. */
const nameThere = ({ propertyName, name }: ts.ImportOrExportSpecifier): string => (propertyName ?? name).text;

const passedOnBy = (clause: ts.NamedExportBindings | undefined): string[] =>
  clause && ts.isNamedExports(clause) ? clause.elements.map(nameThere) : [ALL];

/** The members of a namespace that a file names; all, if it is used as a whole. */
function membersOf(namespace: ts.Identifier, file: ts.SourceFile): string[] {
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && node.text === namespace.text && node !== namespace) names.push(memberOf(node));
    ts.forEachChild(node, visit);
  };
  visit(file);
  return names;
}

/** What is read of an object that an identifier names. */
function memberOf(node: ts.Identifier): string {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) && parent.expression === node) return parent.name.text;
  if (ts.isQualifiedName(parent) && parent.left === node) return parent.right.text;
  return ALL;
}

/** What is taken of `import(...)`: of its result where it is awaited, or by the function that gets it. */
function takenOfPromise(call: ts.CallExpression): string[] {
  const { parent } = call;
  if (ts.isAwaitExpression(parent)) return takenOfValue(parent);
  if (!ts.isPropertyAccessExpression(parent) || parent.name.text !== "then" || !ts.isCallExpression(parent.parent))
    return [ALL];
  const [then] = parent.parent.arguments;
  const parameter =
    then && (ts.isArrowFunction(then) || ts.isFunctionExpression(then)) ? then.parameters[0] : undefined;
  if (!parameter) return [ALL];
  return takenBinding(parameter.name, parameter.parent.getSourceFile());
}

/** What is taken of a module that stands in an expression. */
function takenOfValue(value: ts.Expression): string[] {
  const { parent } = value;
  if (ts.isParenthesizedExpression(parent)) return takenOfValue(parent);
  if (ts.isPropertyAccessExpression(parent)) return [parent.name.text];
  if (ts.isVariableDeclaration(parent)) return takenBinding(parent.name, parent.getSourceFile());
  return [ALL];
}

function takenBinding(name: ts.BindingName, file: ts.SourceFile): string[] {
  if (ts.isIdentifier(name)) return membersOf(name, file);
  if (ts.isArrayBindingPattern(name)) return [ALL];
  return name.elements.map(({ propertyName, name: own }) => {
    const there = propertyName ?? own;
    return ts.isIdentifier(there) ? there.text : ALL;
  });
}
