/** Source text to syntax tree. */
import { ggsl } from "./ggsl.generated.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { nestedTooDeep, syntaxError } from "../diagnostics/syntax.js";
import type { Found } from "../diagnostics/hints.js";
import { LIMIT_PRESETS, type Limits } from "../limits/limits.js";
import type * as Ast from "./ast.js";
import { scan } from "./scan.js";
import { beginsDeclaration, DECLARATIONS } from "../source/declarations.js";
import { isWordLexeme, type Lexeme } from "../source/lexemes.js";
import { failure, type Part } from "./failure.js";
import { lexemesIn, type SourceFile, type Span } from "../source/source.js";
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
export type ParseCache = Map<string, Cached>;

interface ParseOptions {
  readonly limits?: Limits;
  readonly cache?: ParseCache;
}

/** A separately parsed part of a file, and where it was. */
interface Cached {
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
  for (const { text, start, lexemes } of partsOf(source)) {
    const present = known.get(text);
    // what a fault expected takes a second parse, and is not shown beyond the limit
    const isShown = diagnostics.length < limits.diagnostics;
    const result = present
      ? moved(present.result, source, start - present.start)
      : convert<Ast.Declaration[]>(source, "File", { text, start, lexemes }, isShown);
    if (present || isShown || !isFault(result)) cache.set(text, { start, result });
    if (!isFault(result)) for (const declaration of result) declarations.push(declaration);
    else {
      diagnostics.push(result);
      for (const name of declaredNames(source, lexemes)) broken.add(name);
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
  const stages = convert<Ast.StageCall[]>(source, "Stages", {
    text: source.text,
    start: 0,
    lexemes: lexemesIn(source),
  });
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

/** Parses a part of a file to trees or diagnostics. */
function convert<T extends readonly object[]>(
  source: SourceFile,
  rule: "File" | "Stages",
  part: Part,
  isShown = true,
): T | Diagnostic {
  const start = part.lexemes[0]?.start ?? part.start + part.text.length;
  const refusal = nestedTooDeep({ source, start, end: start + 1 }, MAX_TREE_DEPTH);
  try {
    const match = ggsl.match(part.text, rule);
    if (match.failed())
      return isShown ? failure(source, match, part) : syntaxError({ source, start, end: start + 1 }, [], UNKNOWN);
    const tree = toAst(match, source, part.start) as T;
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

/** The names that a part with a fault seems to declare, so that their uses are not also reported. */
function declaredNames(source: SourceFile, lexemes: readonly Lexeme[]): string[] {
  const code = lexemes.filter(({ kind }) => kind !== "comment" && kind !== "doc");
  const isFirstOnLine = (i: number): boolean =>
    i === 0 || source.text.slice(code[i - 1]!.end, code[i]!.start).includes("\n");
  const declared = code.filter((_, i) => i > 0 && DECLARATIONS.has(code[i - 1]!.text) && isFirstOnLine(i - 1));
  const isImport = code[0]?.text === "import" && code[1]?.text === "{";
  const end = code.findIndex(({ text }) => text === "}");
  const imported = isImport ? code.slice(2, end < 0 ? undefined : end) : [];
  return [...declared, ...imported].filter(isWordLexeme).map(({ text }) => text);
}

/** Splits a text before every declaration that begins a line, or before its doc comments. */
function partsOf(source: SourceFile): Part[] {
  const { text } = source;
  const lexemes = lexemesIn(source);
  const cuts = [{ start: 0, first: 0 }];
  let docs: number | undefined;
  lexemes.forEach(({ kind }, i) => {
    if (kind === "comment") return;
    if (kind === "doc") return void (docs ??= i);
    const first = docs ?? i;
    docs = undefined;
    if (beginsDeclaration(text, lexemes, i) && lexemes[first]!.start > 0)
      cuts.push({ start: lexemes[first]!.start, first });
  });
  return cuts.map(({ start, first }, i) => ({
    start,
    text: text.slice(start, cuts[i + 1]?.start),
    lexemes: lexemes.slice(first, cuts[i + 1]?.first),
  }));
}
