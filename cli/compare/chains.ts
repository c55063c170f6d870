/** The chains that `ggsl compare` compares: those of files, and pipelines of standard samplers. */
import { settingsOf } from "@ggsl/codegen/chains.js";
import { compileError } from "@ggsl/compiler/check/format.js";
import { checkSource } from "@ggsl/compiler/driver.js";
import type { Settings } from "@ggsl/compiler/lower/params.js";
import type { Chain as ParsedChain } from "@ggsl/compiler/syntax/ast.js";
import { compile, compilePipeline, type Chain } from "ggsl/chain/chain.js";
import { checkChains, type ComparedChain } from "ggsl/compare/options.js";
import type { GrammarSource } from "ggsl/grammars/types.js";
import { picksToken } from "@ggsl/compiler/graph/tail.js";
import { compileChain, compileOptionsOf, readChainFile, specChain, type ChainOptions } from "../chain.js";
import { importerFor } from "../files.js";
import { grammarUniforms } from "../grammar.js";
import { UsageError } from "../usage.js";
import { say } from "../terminal.js";

export interface ChainsOptions extends Omit<ChainOptions, "stages" | "seed" | "program"> {
  readonly stages?: readonly string[];
  /** The chains of files; default: all that pick a token. */
  readonly chain?: readonly string[];
  /** Each chain with this parameter is compared with each of the values. */
  readonly vary?: Variation;
}

export interface Variation {
  readonly name: string;
  readonly values: readonly number[];
}

/** A chain that is not compiled yet. */
interface Found {
  readonly name: string;
  readonly file?: string;
  /** Its declaration; absent for a spec or a pipeline. */
  readonly declared?: ParsedChain;
  readonly compile: (set: Settings | undefined) => Chain;
}

/** Compiles the chains, and prints their warnings. */
export function comparedChains(
  files: readonly string[],
  options: ChainsOptions,
  grammar: GrammarSource | undefined,
): ComparedChain[] {
  const { stages = [], chain: names } = options;
  const inFiles = files.flatMap((file) => chainsIn(file, options));
  checkNames(inFiles, options);
  const wanted = inFiles.filter(({ name }) => names?.includes(name) ?? true);
  const found = [...wanted, ...stages.map((text) => pipeline(text, options))];
  const all = inFiles.flatMap(({ declared }) => declared ?? []);
  const compiled = found.flatMap((one) =>
    variants(one, all, options).map(({ name, set }) => ({
      name,
      chain: compileChain({ compile: () => one.compile(set) }),
    })),
  );
  const picking = names ? compiled : compiled.filter(({ name, chain }) => hasPick(name, chain));
  checkChains(picking);
  return picking.map((one) => ({ ...one, uniforms: grammarUniforms(one.chain.graph, grammar) }));
}

function chainsIn(file: string, options: ChainsOptions): Found[] {
  const { text, isSpec } = readChainFile(file);
  if (isSpec) {
    const chain = specChain(text, options);
    const alone = (set: Settings | undefined): Chain => {
      if (set) throw new UsageError(`--set and --vary need programs, and "${file}" is a spec`);
      return chain;
    };
    return [{ name: chain.name, file, compile: alone }];
  }
  const importer = importerFor(file, options.root);
  const { program, diagnostics } = checkSource({ name: file, text }, { importer });
  if (!program) throw compileError(diagnostics);
  return program.chains.map((declared) => {
    const name = declared.name.text;
    const place = { file, importer, chain: name };
    return {
      name,
      file,
      declared,
      compile: (set) => compile(text, { ...compileOptionsOf({ ...options, set }), ...place }),
    };
  });
}

const pipeline = (text: string, options: ChainsOptions): Found => ({
  name: text.trim().replace(/\s+/g, " "),
  compile: (set) => compilePipeline(text, { ...compileOptionsOf({ ...options, set }), file: "-e" }),
});

/** Wrong usage if a chain or a parameter to vary is named that no file declares. */
function checkNames(found: readonly Found[], { chain = [], set = {}, vary }: ChainsOptions): void {
  const names = found.map(({ name }) => name);
  const owners = Object.keys(set).flatMap((key) => (key.includes(".") ? [key.slice(0, key.indexOf("."))] : []));
  const stray = [...chain, ...owners].find((name) => !names.includes(name));
  const there = names.length === 0 ? "no file is given" : `there is ${names.map((name) => `\`${name}\``).join(", ")}`;
  if (stray !== undefined) throw new UsageError(`there is no chain \`${stray}\`: ${there}`);
  if (vary && !found.some(({ declared }) => hasParam(declared, vary.name)))
    throw new UsageError(`--vary ${vary.name}: no chain of a file has a parameter \`${vary.name}\``);
}

const hasParam = (chain: ParsedChain | undefined, name: string): boolean =>
  chain?.params.some((param) => param.name.text === name) === true;

/** A chain with its settings, once for each value of `--vary`. */
function variants(
  { name, file, declared }: Found,
  all: readonly ParsedChain[],
  { set = {}, vary }: ChainsOptions,
): { readonly name: string; readonly set: Settings | undefined }[] {
  const isDouble = all.filter((one) => one.name.text === name).length > 1;
  const shown = isDouble ? `${name} (${file})` : name;
  const own = (settings: Settings): Settings | undefined => {
    // a setting that no chain has is reported by all
    const given = declared ? settingsOf(declared, all, settings) : all.length === 0 ? settings : {};
    return Object.keys(given).length > 0 ? given : undefined;
  };
  if (!vary || !hasParam(declared, vary.name)) return [{ name: shown, set: own(set) }];
  return vary.values.map((value) => ({
    name: `${shown}, ${vary.name} = ${value}`,
    set: { ...own(set), [vary.name]: value },
  }));
}

/** Whether it picks a token; if not, it is a part of other chains and is left out. */
function hasPick(name: string, chain: Chain): boolean {
  const picks = picksToken(chain.graph);
  if (!picks) say(`note: \`${name}\` picks no token and is left out\n`);
  return picks;
}
