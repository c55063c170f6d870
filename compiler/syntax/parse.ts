/** Source text to syntax tree. */
import { ggsl } from "./ggsl.generated.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { nestedTooDeep, syntaxError } from "../diagnostics/syntax.js";
import type { Found } from "../diagnostics/hints.js";
import { LIMIT_PRESETS, type Limits } from "../limits/limits.js";
import type * as Ast from "./ast.js";
import { scan } from "./scan.js";
import { failure } from "./failure.js";
import type { SourceFile, Span } from "../source/source.js";
import { toAst } from "./tree.js";

/** The depth limit of trees, such as those of long sums: all passes over a tree are recursive. */
const MAX_TREE_DEPTH = 250;

export interface Parsed {
  readonly file: Ast.File;
  /** Names declared by declarations with a fault. */
  readonly broken: ReadonlySet<string>;
  readonly diagnostics: readonly Diagnostic[];
  /** How many tokens were parsed. */
  readonly tokens: number;
}

/** The parsed declarations of an earlier version of a file, by source text. */
export type ParseCache = Map<string, Piece>;

interface ParseOptions {
  readonly limits?: Limits;
  readonly cache?: ParseCache;
}

/** A separately parsed part of a file, and its old place. */
interface Piece {
  readonly start: number;
  readonly result: Ast.Declaration[] | Diagnostic;
}

/**
 * Parses a file, separately for each declaration that begins a line: so all declarations report their faults, those without a
 * fault are in the tree, and with a `cache` only new texts are parsed. The cache is updated to this text.
 */
export function parse(
  source: SourceFile,
  { limits = LIMIT_PRESETS.default, cache = new Map() }: ParseOptions = {},
): Parsed {
  const span: Span = { source, start: 0, end: source.text.length };
  const tokens = scan(source, limits);
  if (typeof tokens !== "number")
    return { file: { kind: "file", declarations: [], span }, broken: new Set(), diagnostics: [tokens], tokens: 0 };
  const declarations: Ast.Declaration[] = [];
  const broken = new Set<string>();
  const diagnostics: Diagnostic[] = [];
  const known = new Map(cache);
  cache.clear();
  for (const { text, start } of piecesOf(source.text)) {
    const present = known.get(text);
    // what a fault expected takes a second parse, and is not shown beyond the limit
    const isShown = diagnostics.length < limits.diagnostics;
    const result = present
      ? moved(present.result, source, start - present.start)
      : convert<Ast.Declaration[]>(source, "File", text, start, isShown);
    if (present || isShown || !isFault(result)) cache.set(text, { start, result });
    if (!isFault(result)) for (const declaration of result) declarations.push(declaration);
    else {
      diagnostics.push(result);
      for (const name of declaredNames(text)) broken.add(name);
    }
  }
  return { file: { kind: "file", declarations, span }, broken, diagnostics, tokens };
}

/** A copy of a tree or a diagnostic for another version of its file. */
function moved<T>(value: T, source: SourceFile, by: number): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((v: unknown) => moved(v, source, by)) as T;
  if ("source" in value) {
    const { start, end } = value as unknown as Span;
    return { source, start: start + by, end: end + by } as T;
  }
  const copy: Record<string, unknown> = {};
  for (const key in value) copy[key] = moved(value[key], source, by);
  return copy as T;
}

/** Parses a pipeline `stage |> stage`. */
export function parseStages(
  source: SourceFile,
  limits: Limits = LIMIT_PRESETS.default,
): {
  stages: readonly Ast.StageCall[];
  diagnostics: readonly Diagnostic[];
  tokens: number;
} {
  const tokens = scan(source, limits);
  if (typeof tokens !== "number") return { stages: [], diagnostics: [tokens], tokens: 0 };
  const stages = convert<Ast.StageCall[]>(source, "Stages", source.text, 0);
  return isFault(stages) ? { stages: [], diagnostics: [stages], tokens } : { stages, diagnostics: [], tokens };
}

/** Whether a text is one expression. */
export const isExpression = (text: string): boolean => ggsl.match(text, "Expr").succeeded();

const isFault = (result: object): result is Diagnostic => "code" in result;

/** What is found where nobody looks. */
const UNKNOWN: Found = {
  token: undefined,
  previous: undefined,
  next: undefined,
  mark: undefined,
  counter: undefined,
  isKeyword: false,
  isFirst: false,
  line: "",
  comment: "",
};

/** Parses the text at `offset` of its file to trees or diagnostics. */
function convert<T extends readonly object[]>(
  source: SourceFile,
  rule: "File" | "Stages",
  text: string,
  offset: number,
  isShown = true,
): T | Diagnostic {
  const start = offset + text.search(/\S|$/);
  const refusal = nestedTooDeep({ source, start, end: start + 1 }, MAX_TREE_DEPTH);
  try {
    const match = ggsl.match(text, rule);
    if (match.failed())
      return isShown ? failure(source, match, offset) : syntaxError({ source, start, end: start + 1 }, [], UNKNOWN);
    const tree = toAst(match, source, offset) as T;
    return depthOf(tree) > MAX_TREE_DEPTH ? refusal : tree;
  } catch (fault) {
    // operators nest without brackets, and the stack limit of the host is unknown
    if (fault instanceof RangeError) return refusal;
    throw fault;
  }
}

/** The depth of a tree, computed without recursion. */
function depthOf(tree: object): number {
  let deepest = 0;
  const open: { value: object; depth: number }[] = [{ value: tree, depth: 0 }];
  for (let top = open.pop(); top; top = open.pop()) {
    const depth = top.depth + ("kind" in top.value ? 1 : 0);
    deepest = Math.max(deepest, depth);
    for (const value of Object.values(top.value)) {
      if (typeof value === "object" && value !== null && !("source" in value))
        open.push({ value: value as object, depth });
    }
  }
  return deepest;
}

/** The names that a text with a fault seems to declare, so that their uses are not also reported. */
function declaredNames(text: string): string[] {
  const declared = [...text.matchAll(/^\s*(?:const|input|fn|sampler|chain)\s+(\w+)/gm)].map((m) => m[1]!);
  const imported = /^import\s*\{([^}]*)\}?/.exec(text)?.[1] ?? "";
  return [...declared, ...imported.split(/\W+/)];
}

/** Words that begin a declaration at the start of a line; `input` also begins a clause of a test, and `fn` can be a name. */
const BEGIN = String.raw`^(?:(?:import|const|sampler|chain|test)\b|input\b(?=\s*[^\s:[]+\s*:)|fn\b(?=[ \t]+[^\s(]+\s*\())`;
const PIECES = new RegExp(
  String.raw`(${BEGIN})|(///(?!/)[^\n]*)|//[^\n]*|/\*[^]*?\*/|"(?:\\.|[^"\\\n])*"|[^\s"/]+|\S`,
  "gm",
);

/** Splits the text before every declaration that begins a line, or before its doc comments. */
function piecesOf(text: string): { text: string; start: number }[] {
  const cuts = [0];
  let docs: number | undefined;
  for (const { 0: token, 1: begin, 2: doc, index } of text.matchAll(PIECES)) {
    if (begin !== undefined && (docs ?? index) > 0) cuts.push(docs ?? index);
    if (doc !== undefined) docs ??= index;
    else if (!/^\/[/*]/.test(token)) docs = undefined;
  }
  return cuts.map((start, i) => ({ text: text.slice(start, cuts[i + 1]), start }));
}
