/** Which declarations an entry point exports, and which others their types expose. */
import { isPrivate, namesOf } from "./names.js";
import { Node, type SourceFile, type Symbol as TsSymbol } from "ts-morph";

/** Where ts-morph has the declarations of JavaScript itself. */
const LIBRARY = "/node_modules/typescript/lib/";

/** A name with its declarations: several for overloads and merged interfaces. */
export interface Declared {
  /** What tells the symbol from others: where it is declared, and its name there. */
  readonly id: string;
  /** The name by which it is exported or used. */
  readonly name: string;
  readonly nodes: readonly Node[];
}

/** A type that another entry point, or a package of others, exports. */
interface Foreign {
  readonly name: string;
  readonly from: string;
}

interface Reachable {
  /** Declarations that no entry point exports. */
  readonly hidden: readonly Declared[];
  readonly elsewhere: readonly Foreign[];
}

const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : 0;

/** The exports of a module, by name. */
export const exportsOf = (file: SourceFile): Declared[] =>
  file
    .getExportSymbols()
    .map((symbol) => declaredOf(symbol.getAliasedSymbol() ?? symbol, symbol.getName()))
    .sort(byName);

function declaredOf(symbol: TsSymbol, name: string): Declared {
  const nodes = symbol.getDeclarations();
  if (nodes.length === 0) throw new Error(`api: the export \`${name}\` has no declaration`);
  const [first] = nodes as [Node];
  return { id: `${first.getSourceFile().getFilePath()}:${symbol.getName()}`, name, nodes };
}

/**
 * What the declarations expose, and what that exposes, up to the exports of other entry points.
 * @param homeOf the entry point that exports a declaration
 */
export function reachable(exports: readonly Declared[], homeOf: (id: string) => string | undefined): Reachable {
  const known = new Set(exports.map(({ id }) => id));
  const hidden: Declared[] = [];
  const elsewhere = new Map<string, Foreign>();
  const queue = [...exports];
  for (const { nodes } of queue)
    for (const node of nodes)
      for (const used of usedBy(node)) {
        if ("from" in used) {
          elsewhere.set(`${used.from} ${used.name}`, used);
          continue;
        }
        if (known.has(used.id)) continue;
        known.add(used.id);
        const home = homeOf(used.id);
        if (home !== undefined) {
          elsewhere.set(`${home} ${used.name}`, { name: used.name, from: home });
          continue;
        }

        hidden.push(used);
        queue.push(used);
      }
  return { hidden: hidden.sort(byName), elsewhere: [...elsewhere.values()].sort(byForeign) };
}

const byForeign = (a: Foreign, b: Foreign): number => (a.from < b.from ? -1 : a.from > b.from ? 1 : byName(a, b));

/** Top-level declarations of packages that the text of a declaration names. */
function* usedBy(declaration: Node): Generator<Declared | Foreign> {
  for (const node of shownIn(declaration)) {
    if (!Node.isIdentifier(node)) continue;
    const symbol = node.getSymbol();
    if (symbol === undefined) continue;
    const from = symbol.getDeclarations().map(packageOf).find(Boolean);
    if (from !== undefined) {
      yield { name: symbol.getName(), from };
      continue;
    }
    const meant = symbol.getAliasedSymbol() ?? symbol;
    const nodes = meant.getDeclarations();
    if (nodes.length > 0 && nodes.every(isTopLevel)) yield declaredOf(meant, meant.getName());
  }
}

/** The package of others that an import names. */
function packageOf(node: Node): string | undefined {
  const from = node.getFirstAncestor(Node.isImportDeclaration);
  if (from === undefined || from.getModuleSpecifierSourceFile() !== undefined) return undefined;
  return from.getModuleSpecifierValue();
}

const isTopLevel = (node: Node): boolean => {
  if (node.getSourceFile().getFilePath().startsWith(LIBRARY)) return false;
  const owner = Node.isVariableDeclaration(node) ? node.getVariableStatement() : node;
  return Node.isSourceFile(owner?.getParent());
};

/** The nodes of a declaration that its text has in a contract. */
function* shownIn(node: Node): Generator<Node> {
  for (const one of node.getChildren()) {
    if (isPrivate(one) || namesOf(one) || Node.isJSDoc(one)) continue;
    yield one;
    yield* shownIn(one);
  }
}
