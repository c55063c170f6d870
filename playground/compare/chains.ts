/** The chains of the fields. */
import { symbolsOf } from "../engine/language.js";
import { compile, compilePipeline, type Chain } from "ggsl/chain/chain.js";
import { checkChains, type ComparedChain } from "ggsl/compare/options.js";
import { picksToken } from "@ggsl/compiler/graph/tail.js";
import { hasOpenSeed } from "@ggsl/compiler/graph/seeds.js";

/** A chain with the program that it is from. */
export interface SourceChain extends ComparedChain {
  /** The text of its field. */
  readonly text: string;
  /** Its name in that program; absent for a pipeline. */
  readonly own?: string;
}

interface Compiled {
  readonly chains: readonly SourceChain[];
  /** What a user should know. */
  readonly notes: readonly string[];
}

/** Throws `CompileError` and `InputError`. */
export function compileFields(fields: readonly string[]): Compiled {
  const notes: string[] = [];
  const taken = new Set<string>();
  const chains = fields.flatMap((text, field) =>
    chainsOf(text, field).flatMap((chain): SourceChain[] => {
      const name = isProgram(text) ? chain.name : text.trim().replace(/\s+/g, " ");
      const shown = taken.has(name) ? `${name} (${field + 1})` : name;
      taken.add(shown);
      if (isProgram(text) && !picksToken(chain.graph)) {
        notes.push(`\`${shown}\` picks no token and is left out.`);
        return [];
      }
      if (!hasOpenSeed(chain.graph))
        notes.push(`\`${shown}\` has no draws, or fixes all its seeds: its texts do not depend on the seed.`);
      return [{ name: shown, chain, text, ...(isProgram(text) && { own: chain.name }) }];
    }),
  );
  checkChains(chains);
  return { chains, notes };
}

/** A program declares a chain; anything else is a pipeline. */
const isProgram = (text: string): boolean => /^\s*chain\b/m.test(text);

function chainsOf(text: string, field: number): Chain[] {
  const file = `chain ${field + 1}`;
  if (!isProgram(text)) return [compilePipeline(text, { file })];
  const names = symbolsOf({ name: file, text }).flatMap(({ kind, name }) => (kind === "chain" ? [name] : []));
  // without names the text has errors, which compiling it reports
  if (names.length === 0) return [compile(text, { file })];
  return names.map((chain) => compile(text, { file, chain }));
}
