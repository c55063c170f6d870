/** What the compiler knows about a file: its module, its diagnostics, and what its chains come to. */
import { checkAll } from "@ggsl/compiler/check/check.js";
import type { Diagnostic } from "@ggsl/compiler/check/diagnostics.js";
import { loadModule, newLoader } from "@ggsl/compiler/check/modules.js";
import type { Module, Program } from "@ggsl/compiler/check/program.js";
import { lower } from "@ggsl/compiler/lower/lower.js";
import { optimize } from "@ggsl/compiler/optimize/optimize.js";
import type { Chain, StageCall } from "@ggsl/compiler/syntax/ast.js";
import type { SourceFile } from "@ggsl/compiler/syntax/source.js";
import { stagesOf, type StageExplanation } from "ggsl/explain.js";
import type { Files } from "./files.js";

export interface Analysis {
  readonly source: SourceFile;
  readonly module: Module;
  /** Absent when there are errors. */
  readonly program?: Program;
  readonly diagnostics: readonly Diagnostic[];
  /** The files that it imports, directly or not, by name. */
  readonly files: ReadonlySet<string>;
}

export function analyse(files: Files, source: SourceFile): Analysis {
  const loader = newLoader((path, from) => files.importer(path, from), files.parse);
  const module = loadModule(loader, source);
  const { program, diagnostics } = checkAll(loader, module);
  return { source, module, ...(program && { program }), diagnostics, files: new Set(loader.modules.keys()) };
}

// ---------------------------------------------------------------- chains

/** A stage of a chain, counted with the stages inside it. */
export interface StageFacts {
  readonly rowsBefore: string;
  readonly rows: string;
  readonly nodes: number;
  readonly device: string;
}

/** What is known of lowered chains, by the texts that they are made of. */
export type ChainCache = Map<string, ChainFacts>;

interface ChainFacts {
  /** The chain's stages by themselves; absent if it can not be lowered. */
  readonly flat?: readonly StageExplanation[];
  readonly isClean: boolean;
  /** What the chain's stages come to, in order, once it was asked for. */
  stages?: readonly StageFacts[];
}

/** More is forgotten. */
const MAX_CHAINS = 2000;

/** The diagnostics that show only when a chain is lowered. */
export function diagnosticsOf(cache: ChainCache, { program }: Analysis, chain: Chain): readonly Diagnostic[] {
  if (!program || isOpen(chain)) return [];
  const key = textsOf(program.main, chain);
  if (cache.get(key)?.isClean) return [];
  const { diagnostics } = lowered(cache, key, program.main, chain);
  return diagnostics;
}

/** What the stages of a chain come to, with its defaults; undefined where that is not known. */
export function stageFacts(cache: ChainCache, { program }: Analysis, chain: Chain): readonly StageFacts[] | undefined {
  if (!program || isOpen(chain)) return undefined;
  const key = textsOf(program.main, chain);
  const facts = cache.get(key) ?? lowered(cache, key, program.main, chain).facts;
  if (facts.flat) facts.stages ??= factsOf(program.main, chain, facts.flat);
  return facts.stages;
}

/** A static parameter without a default leaves the chain open. */
const isOpen = (chain: Chain): boolean => chain.params.some((p) => p.isStatic && !p.default);

function lowered(
  cache: ChainCache,
  key: string,
  main: Module,
  chain: Chain,
): { facts: ChainFacts; diagnostics: readonly Diagnostic[] } {
  const { graph, ranges, diagnostics } = lower(main, chain);
  const facts = { ...(graph && { flat: stagesOf(optimize(graph, ranges)) }), isClean: diagnostics.length === 0 };
  if (cache.size >= MAX_CHAINS) cache.clear();
  cache.set(key, facts);
  return { facts, diagnostics };
}

/** The graph's stages are those of the chains inside the chain, too. */
function factsOf(module: Module, chain: Chain, flat: readonly StageExplanation[]): StageFacts[] {
  let at = 0;
  let rowsBefore = "V";
  return chain.stages.map((stage, i) => {
    const count = countStages(module, stage);
    const parts = flat.slice(at, at + count);
    at += count;
    const facts = {
      rowsBefore,
      rows: rowsAfter(module, { ...chain, stages: chain.stages.slice(0, i + 1) }) ?? rowsBefore,
      nodes: parts.reduce((sum, { nodes }) => sum + nodes, 0),
      device: parts[0]?.device ?? "cpu",
    };
    rowsBefore = facts.rows;
    return facts;
  });
}

/** How many rows the table has behind the last stage of a chain. */
function rowsAfter(module: Module, chain: Chain): string | undefined {
  const { graph } = lower(module, chain, { outputs: ["logits"] });
  const id = graph?.outputs.logits;
  return id === undefined ? undefined : String(graph!.nodes[id]!.dim);
}

function countStages(module: Module, { name, isHost }: StageCall): number {
  const found = isHost ? undefined : module.scope.get(name.text);
  return found?.declaration.kind === "chain"
    ? found.declaration.stages.reduce((sum, stage) => sum + countStages(found.module, stage), 0)
    : 1;
}

/** The texts of a declaration and of all that it names: what they come to can only change with them. */
function textsOf(module: Module, chain: Chain): string {
  const seen = new Set<object>();
  const texts: string[] = [];
  const add = (within: Module, declaration: Chain | { readonly span: Chain["span"] }): void => {
    if (seen.has(declaration)) return;
    seen.add(declaration);
    const { source, start, end } = declaration.span;
    const text = source.text.slice(start, end);
    texts.push(`${source.name}:${text}`);
    for (const [word] of text.matchAll(/[\p{L}_][\p{L}\d_]*/gu)) {
      const found = within.scope.get(word);
      if (found) add(found.module, found.declaration);
    }
  };
  add(module, chain);
  return texts.join("\n");
}
