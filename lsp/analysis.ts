/** The compiler's results for a file: its module, its diagnostics, and facts about its chains. */
import type { CheckedFile } from "@ggsl/compiler/check/check.js";
import type { Diagnostic } from "@ggsl/compiler/diagnostics/diagnostic.js";
import type { Module, Program } from "@ggsl/compiler/check/program.js";
import { checkSource, compileChain, isOpen } from "@ggsl/compiler/driver.js";
import { limitDiagnostic } from "@ggsl/compiler/diagnostics/limits.js";
import { limitsOf } from "@ggsl/compiler/limits/limits.js";
import { LimitExceeded, Meter } from "@ggsl/compiler/limits/meter.js";
import { stagesOf, type StageSummary } from "@ggsl/compiler/graph/stages.js";
import type { Chain, StageCall } from "@ggsl/compiler/syntax/ast.js";
import { lexemesOf } from "@ggsl/compiler/source/lexemes.js";
import type { SourceFile } from "@ggsl/compiler/source/source.js";
import type { Files } from "./files.js";

export interface Analysis extends CheckedFile {
  readonly source: SourceFile;
}

export const analyse = ({ importer, parse }: Files, source: SourceFile): Analysis => ({
  source,
  ...checkSource(source, { importer, parse }),
});

// ---------------------------------------------------------------- chains

/** A stage of a chain, including the stages inside it. */
export interface StageFacts {
  readonly rowsBefore: string;
  readonly rows: string;
  readonly nodes: number;
  readonly device: string;
}

/** Facts about lowered chains, by the source texts that they depend on. */
export type ChainCache = Map<string, ChainFacts>;

interface ChainFacts {
  /** The chain's stages, flattened; absent if it cannot be lowered. */
  readonly flat?: readonly StageSummary[];
  readonly isClean: boolean;
  /** The compiler's steps. */
  readonly steps: number;
  /** Facts about the chain's stages in order, computed on demand. */
  stages?: readonly StageFacts[];
}

/** The maximum size of the cache. */
const MAX_CHAINS = 2000;

/** The diagnostics that appear only when a chain is compiled; `meter` is for all chains of the file. */
export function diagnosticsOf(
  cache: ChainCache,
  { program }: Analysis,
  chain: Chain,
  meter: Meter,
): readonly Diagnostic[] {
  if (!program || isOpen(chain)) return [];
  const key = textsOf(program.main, chain);
  const facts = cache.get(key);
  if (!facts?.isClean) return compiled(cache, key, program, chain, meter).diagnostics;
  try {
    // the limit does not depend on what the cache has
    meter.spend(facts.steps);
    return [];
  } catch (error) {
    if (!(error instanceof LimitExceeded)) throw error;
    return [limitDiagnostic(chain.name.span, error)];
  }
}

/** Facts about the stages of a chain with its defaults; undefined if it cannot be lowered. */
export function stageFacts(cache: ChainCache, { program }: Analysis, chain: Chain): readonly StageFacts[] | undefined {
  if (!program || isOpen(chain)) return undefined;
  const key = textsOf(program.main, chain);
  const facts = cache.get(key) ?? compiled(cache, key, program, chain, new Meter(limitsOf())).facts;
  if (facts.flat) facts.stages ??= factsOf(program.main, chain, facts.flat);
  return facts.stages;
}

function compiled(
  cache: ChainCache,
  key: string,
  program: Program,
  chain: Chain,
  meter: Meter,
): { facts: ChainFacts; diagnostics: readonly Diagnostic[] } {
  const { steps } = meter;
  const { graph, diagnostics } = compileChain(program, chain, { meter });
  const facts = {
    ...(graph && { flat: stagesOf(graph) }),
    isClean: diagnostics.length === 0,
    steps: meter.steps - steps,
  };
  if (cache.size >= MAX_CHAINS) cache.clear();
  cache.set(key, facts);
  return { facts, diagnostics };
}

/** Facts about the chain's own stages; in `flat`, nested chains are inlined. */
function factsOf(module: Module, chain: Chain, flat: readonly StageSummary[]): StageFacts[] {
  let at = 0;
  let rowsBefore = "V";
  return chain.stages.map((stage) => {
    const count = countStages(module, stage);
    const parts = flat.slice(at, at + count);
    at += count;
    const facts = {
      rowsBefore,
      rows: parts.at(-1)?.rows ?? rowsBefore,
      nodes: parts.reduce((sum, { nodes }) => sum + nodes, 0),
      device: parts[0]?.isHost ? "host" : "cpu",
    };
    rowsBefore = facts.rows;
    return facts;
  });
}

/** The number of stages of the graph that a stage stands for: more than 1 for a chain within a chain. */
export function countStages(module: Module, stage: StageCall): number {
  const found = chainIn(module, stage);
  return found ? found.chain.stages.reduce((sum, inner) => sum + countStages(found.module, inner), 0) : 1;
}

/** Whether a stage is a chain within a chain. */
export const isChain = (module: Module, stage: StageCall): boolean => chainIn(module, stage) !== undefined;

function chainIn(module: Module, { name, isHost }: StageCall): { chain: Chain; module: Module } | undefined {
  const found = isHost ? undefined : module.scope.get(name.text);
  return found?.declaration.kind === "chain" ? { chain: found.declaration, module: found.module } : undefined;
}

/** The source texts of a declaration and of all that it refers to: the cache key of its facts. */
function textsOf(module: Module, chain: Chain): string {
  const seen = new Set<object>();
  const texts: string[] = [];
  const add = (within: Module, declaration: Chain | { readonly span: Chain["span"] }): void => {
    if (seen.has(declaration)) return;
    seen.add(declaration);
    const { source, start, end } = declaration.span;
    const text = source.text.slice(start, end);
    texts.push(`${source.name}:${text}`);
    for (const lexeme of lexemesOf(text)) {
      const found = lexeme.kind === "name" ? within.scope.get(lexeme.text) : undefined;
      if (found) add(found.module, found.declaration);
    }
  };
  add(module, chain);
  return texts.join("\n");
}
