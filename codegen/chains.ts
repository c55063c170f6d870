/** Compiles the chains of a file for a module: graphs, and the program's documentation of them. */
import { declaredInputs } from "@ggsl/compiler/check/inputs.js";
import { namedInputs, type NamedInput } from "@ggsl/compiler/graph/features.js";
import { isPhraseParam, phrasesOf } from "@ggsl/compiler/graph/phrases.js";
import { grammarsOf } from "@ggsl/compiler/graph/grammars.js";
import { setsOf } from "@ggsl/compiler/graph/sets.js";
import type { Settings } from "@ggsl/compiler/lower/params.js";
import { isError, sortDiagnostics, type Diagnostic } from "@ggsl/compiler/diagnostics/diagnostic.js";
import { chainNotNamed, unknownChain } from "@ggsl/compiler/diagnostics/names.js";
import { compileError } from "@ggsl/compiler/check/format.js";
import { foundFile, type Program } from "@ggsl/compiler/check/program.js";
import type { Importer } from "@ggsl/compiler/source/importer.js";
import { checkSource, compileLowered, compileRows, lowerChain } from "@ggsl/compiler/driver.js";
import { checkNames, type OptionNames } from "@ggsl/compiler/core/optionNames.js";
import type { Graph, Origin, Param } from "@ggsl/compiler/graph/graph.js";
import type { Chain } from "@ggsl/compiler/syntax/ast.js";
import { packageText, type PackageVersion, type SourceFile } from "@ggsl/compiler/source/source.js";
import { namesIn } from "@ggsl/compiler/syntax/walk.js";

export interface ModuleOptions {
  /** Reads imported files. */
  readonly importer?: Importer | undefined;
  /** The chains to compile; default: all that the file declares. */
  readonly chains?: readonly string[] | undefined;
  /**
   * Values of static parameters, and new defaults of uniforms: `k` in every chain that has it, `best.k` in the chain `best`.
   */
  readonly set?: Settings | undefined;
  /** A machine-independent name of a file for the module; files of the standard library keep theirs. */
  readonly nameOf?: ((file: string) => string) | undefined;
}

export interface ModuleChain {
  readonly name: string;
  readonly doc?: string | undefined;
  /** The graph that a model runs. */
  readonly graph: Graph;
  /** The graph that `evaluate` runs; the same object if it has the same outputs. */
  readonly rowsGraph: Graph;
  readonly uniforms: readonly ModuleUniform[];
  readonly sets: readonly ModuleSet[];
  readonly phrases: readonly ModulePhrases[];
  readonly grammars: readonly ModuleGrammar[];
  readonly inputs: readonly ModuleInput[];
  /** The other sequences whose logits it reads. */
  readonly guides: readonly ModuleInput[];
}

export interface ModuleUniform extends Param {
  /** The stages that use it. */
  readonly stages: readonly string[];
}

/** A parameter that is a set of tokens. */
export interface ModuleSet {
  readonly name: string;
  readonly capacity: number;
  readonly doc?: string | undefined;
  readonly stages: readonly string[];
}

/** A parameter that is a list of phrases. */
export interface ModulePhrases {
  readonly name: string;
  readonly doc?: string | undefined;
  readonly stages: readonly string[];
}

/** A parameter that is a grammar. */
export interface ModuleGrammar {
  readonly name: string;
  /** Whether the program has one for requests without. */
  readonly isOptional: boolean;
  readonly doc?: string | undefined;
  readonly stages: readonly string[];
}

export interface ModuleInput {
  readonly name: string;
  readonly doc?: string | undefined;
  /** Absent for a dense column. */
  readonly sparse?: { readonly capacity: number | "V"; readonly fill: number };
  /** The most tokens, if the input is a text. */
  readonly tokens?: number;
}

export interface ModuleChains {
  readonly chains: readonly ModuleChain[];
  /** The npm packages whose samplers the file imports, by name. */
  readonly packages: readonly PackageVersion[];
  readonly warnings: readonly Diagnostic[];
}

const NAMES: OptionNames<ModuleOptions> = { importer: true, chains: true, set: true, nameOf: true };

/** Compiles the chains of a file. Throws `CompileError` with the errors of all of them. */
export function moduleChains(source: SourceFile, options: ModuleOptions = {}): ModuleChains {
  checkNames(options, NAMES);
  const imported = new Set([source.name]);
  const packages = new Map<string, PackageVersion>();
  const importer: Importer = (path, from) => {
    const found = options.importer?.(path, from);
    const file = foundFile(found);
    if (file) imported.add(file.name);
    if (file?.package) packages.set(packageText(file.package), file.package);
    return found;
  };
  const { program, diagnostics } = checkSource(source, { importer });
  if (!program) throw compileError(diagnostics);
  const wanted = wantedChains(program, options);
  const stray = [...wanted.faults, ...strayChains(program, options.set ?? {})];
  if (stray.length > 0) throw compileError([...diagnostics, ...stray]);
  const declared = declaredInputs(program.main);
  const found = [...diagnostics];
  const nameOf = (file: string): string => (imported.has(file) ? (options.nameOf?.(file) ?? file) : file);
  const chains = wanted.chains.flatMap((chain) => {
    const set = settingsOf(chain, wanted.chains, options.set ?? {});
    const lowered = lowerChain(program, chain, { set });
    const { graph, diagnostics: faults } = compileLowered(lowered);
    for (const one of faults) found.push(one);
    if (!graph) return [];
    const { graph: rows, diagnostics: more } = compileRows(lowered, graph);
    for (const one of more) found.push(one);
    if (!rows) return [];
    const named = renamed(graph, nameOf);
    return [describe(chain, named, rows === graph ? named : renamed(rows, nameOf), declared)];
  });
  if (found.some(isError)) throw compileError(found);
  const used = [...packages].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
  return { chains, packages: used, warnings: sortDiagnostics(found) };
}

function wantedChains({ main, chains }: Program, options: ModuleOptions): { chains: Chain[]; faults: Diagnostic[] } {
  const start = { source: main.source, start: 0, end: 0 };
  const names = chains.map((c) => c.name.text);
  const wanted = options.chains ?? names;
  if (wanted.length === 0) return { chains: [], faults: [chainNotNamed(start, [])] };
  const faults = wanted.filter((name) => !names.includes(name)).map((name) => unknownChain(start, name, names));
  return { chains: chains.filter((c) => wanted.includes(c.name.text)), faults };
}

/** Errors for settings such as `best.k` without a chain `best`. */
function strayChains({ main, chains }: Program, set: Settings): Diagnostic[] {
  const start = { source: main.source, start: 0, end: 0 };
  const names = chains.map((c) => c.name.text);
  const asked = Object.keys(set).flatMap((key) => (key.includes(".") ? [key.slice(0, key.indexOf("."))] : []));
  return asked.filter((name) => !names.includes(name)).map((name) => unknownChain(start, name, names));
}

/**
 * The settings for one chain: `k` for every chain that has it, `best.k` for the chain `best`. A name that no chain has goes to all
 * chains, and each reports it.
 */
export function settingsOf(chain: Chain, all: readonly Chain[], set: Settings): Settings {
  const has = ({ params }: Chain, name: string): boolean => params.some((p) => p.name.text === name);
  const entries = Object.entries(set).flatMap(([key, value]): [string, Settings[string]][] => {
    const point = key.indexOf(".");
    if (point >= 0) return key.slice(0, point) === chain.name.text ? [[key.slice(point + 1), value]] : [];
    return has(chain, key) || !all.some((c) => has(c, key)) ? [[key, value]] : [];
  });
  return Object.fromEntries(entries);
}

/** The same graph with the module's file names in the sources of nodes and stages. */
function renamed(graph: Graph, nameOf: (file: string) => string): Graph {
  const rename = <Place extends Omit<Origin, "stage">>(place: Place): Place => ({ ...place, file: nameOf(place.file) });
  return {
    ...graph,
    nodes: graph.nodes.map((n) => (n.origin ? { ...n, origin: rename(n.origin) } : n)),
    stages: graph.stages.map((s) => ({ ...s, origin: rename(s.origin) })),
  };
}

/** The inputs of a program and its imports, by name. */
type Declared = ReturnType<typeof declaredInputs>;

function describe(chain: Chain, graph: Graph, rows: Graph, declared: Declared): ModuleChain {
  const given = namedInputs([graph, rows].flatMap(({ features }) => features));
  return {
    name: graph.name,
    doc: chain.doc,
    graph,
    rowsGraph: rows,
    uniforms: graph.params.map((param) => ({ ...param, stages: stagesWith(chain, param.name) })),
    phrases: phrasesOf(graph)
      .filter(isPhraseParam)
      .map(({ name }) => ({
        name,
        doc: setsOf(graph).find((set) => set.name === name)?.doc,
        stages: stagesWith(chain, name),
      })),
    sets: setsOf(graph).flatMap(({ name, capacity, doc }) =>
      name === undefined || phrasesOf(graph).some((list) => list.name === name)
        ? []
        : [{ name, capacity: capacity!, doc, stages: stagesWith(chain, name) }],
    ),
    grammars: grammarsOf(graph).map(({ name, doc, default: standard }) => ({
      name,
      doc,
      isOptional: standard !== undefined,
      stages: stagesWith(chain, name),
    })),
    inputs: [...inputsOf(given, "column", declared), ...inputsOf(given, "text", declared)],
    guides: inputsOf(given, "guide", declared),
  };
}

const stagesWith = ({ stages }: Chain, name: string): string[] =>
  stages
    .filter(({ args }) => args.some(({ value }) => namesIn(value).includes(name)))
    .map(({ span: { source, start, end } }) => source.text.slice(start, end).replace(/\s+/g, " "));

/** What the calling program gives by name: columns, texts or guides. */
const inputsOf = (given: readonly NamedInput[], kind: NamedInput["kind"], declared: Declared): ModuleInput[] =>
  given.flatMap((one): ModuleInput[] => {
    const { name, form } = one;
    if (one.kind !== kind) return [];
    const sparse = one.kind === "column" && form.kind === "sparse" && { capacity: form.capacity, fill: form.fill };
    const doc = declared.get(name)?.declaration.doc;
    return [{ name, doc, ...(sparse && { sparse }), ...(one.kind === "text" && { tokens: one.capacity }) }];
  });
