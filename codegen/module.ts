/**
 * Writes a file's chains as a TypeScript module, as a JavaScript module, or as types only. A module contains the compiled
 * graphs, so a program that uses it needs no compiler.
 */
import CodeBlockWriter from "code-block-writer";
import type { PackageVersion } from "@ggsl/compiler/source/source.js";
import type { ModuleChain, ModuleInput } from "./chains.js";
import { chainCall } from "./literal.js";
import { Names, propertyName, typeName } from "./names.js";
import { packageLines } from "./packages.js";
import { chainDoc, grammarDoc, guideDoc, inputDoc, interfaceDocs, phrasesDoc, setDoc, uniformDoc } from "./words.js";

/** A chain with its names in the module. */
export interface NamedChain extends ModuleChain {
  readonly exported: string;
  readonly types: string;
  readonly uniformsType: string;
  readonly inputsType: string;
  /** Absent for a chain without guides. */
  readonly guidesType?: string;
  readonly statesType: string;
  readonly measuresType: string;
  /** Absent for a chain without stops. */
  readonly stopsType?: string;
}

/** Imports of generated modules. */
const IMPORTED = ["chainOf", "fromSpec", "Chain"];

/** Names chains that can keep their names first, then the others, then the types. */
export function nameChains(chains: readonly ModuleChain[]): NamedChain[] {
  const names = new Names(IMPORTED);
  const own = chains.filter(({ name }) => names.isFree(name));
  const others = chains.filter(({ name }) => !names.isFree(name));
  const exported = new Map([...own, ...others].map(({ name }) => [name, names.declare(name)]));
  return chains.map((chain) => {
    const prefix = typeName(chain.name);
    return {
      ...chain,
      exported: exported.get(chain.name)!,
      types: names.declare(`${prefix}Types`),
      uniformsType: names.declare(`${prefix}Uniforms`),
      inputsType: names.declare(`${prefix}Inputs`),
      ...(chain.guides.length > 0 && { guidesType: names.declare(`${prefix}Guides`) }),
      statesType: names.declare(`${prefix}States`),
      measuresType: names.declare(`${prefix}Measures`),
      ...(chain.graph.stops && { stopsType: names.declare(`${prefix}Stops`) }),
    };
  });
}

/** The beginning of every generated module. */
export const MARK = "// Made by `ggsl gen";

/** The packages whose samplers a module has. */
type Packages = readonly PackageVersion[];

const header = (command: string, packages: Packages): string =>
  ["/* eslint-disable */", `// Made by \`${command}\`; do not edit.`, ...packageLines(packages)].join("\n");

/** `command` generates the same module again. */
export const typeScriptModule = (chains: readonly NamedChain[], command: string, packages: Packages = []): string =>
  printed(header(command, packages), (to) => {
    to.writeLine('import { chainOf, fromSpec, type Chain } from "ggsl";');
    for (const chain of chains) {
      writeTypes(to, chain);
      const call = chainCall(chain.graph, chain.rowsGraph, `<${chain.types}>`);
      writeDoc(to.blankLine(), chainDoc(chain, chain.exported));
      to.write(`export const ${chain.exported}: Chain<${chain.types}> = `);
      to.withIndentationLevel(1, () => to.write(call))
        .write(";")
        .newLine();
    }
  });

/** The types of `javaScriptModule`. */
export const declarations = (chains: readonly NamedChain[], command: string, packages: Packages = []): string =>
  printed(header(command, packages), (to) => {
    to.writeLine('import type { Chain } from "ggsl";');
    for (const chain of chains) {
      writeTypes(to, chain);
      writeDoc(to.blankLine(), chainDoc(chain, chain.exported));
      to.writeLine(`export declare const ${chain.exported}: Chain<${chain.types}>;`);
    }
  });

export const javaScriptModule = (chains: readonly NamedChain[]): string =>
  [
    'import { chainOf, fromSpec } from "ggsl";',
    ...chains.map(({ exported, graph, rowsGraph }) => `export const ${exported} = ${chainCall(graph, rowsGraph, "")};`),
    "",
  ].join("\n");

function printed(beginning: string, write: (to: CodeBlockWriter) => void): string {
  const writer = new CodeBlockWriter({ indentNumberOfSpaces: 2 });
  write(writer.writeLine(beginning));
  return writer.toString();
}

function writeDoc(to: CodeBlockWriter, text: string): void {
  to.writeLine("/**");
  for (const line of text.split("\n")) to.writeLine(line === "" ? " *" : ` * ${line}`);
  to.writeLine(" */");
}

/** A type that accepts no name; an empty interface would accept all. */
const NONE = "Readonly<Record<string, never>>";

function writeTypes(to: CodeBlockWriter, chain: NamedChain): void {
  const { name, uniforms, sets, phrases, grammars, inputs, guides, guidesType, graph } = chain;
  const { measures } = graph;
  writeProperties(to, chain.uniformsType, interfaceDocs.uniforms(name), [
    ...uniforms.map((u) => ({
      name: u.name,
      type: u.type === "bool" ? "boolean" : "number",
      isOptional: true,
      doc: uniformDoc(u),
    })),
    ...sets.map((s) => ({ name: s.name, type: "readonly (number | string)[]", isOptional: true, doc: setDoc(s) })),
    ...phrases.map((p) => ({ name: p.name, type: PHRASES, isOptional: true, doc: phrasesDoc(p) })),
    ...grammars.map((g) => ({ name: g.name, type: GRAMMAR, isOptional: true, doc: grammarDoc(g) })),
  ]);
  writeProperties(
    to,
    chain.inputsType,
    interfaceDocs.inputs(name),
    inputs.map((i) => ({ name: i.name, type: columnType(i), doc: inputDoc(i) })),
  );
  if (guidesType !== undefined)
    writeProperties(
      to,
      guidesType,
      interfaceDocs.guides(name),
      guides.map((g) => ({ name: g.name, type: GUIDE, doc: guideDoc(g) })),
    );
  const states = graph.states.map((s) => `${s.name}: number`).join(", ");
  writeAlias(to, chain.statesType, interfaceDocs.states(name), `readonly [${states}]`);
  if (measures.length > 0)
    writeProperties(
      to,
      chain.measuresType,
      interfaceDocs.measures(name),
      measures.map((m) => ({ name: m.name, type: "number" })),
    );
  if (chain.stopsType !== undefined) {
    const stops = new Set(graph.stops!.map((s) => JSON.stringify(s.name)));
    writeAlias(to, chain.stopsType, interfaceDocs.stops(name), [...stops].join(" | "));
  }
  writeProperties(to, chain.types, interfaceDocs.types(name), [
    { name: "uniforms", type: chain.uniformsType },
    { name: "inputs", type: chain.inputsType },
    ...(guidesType === undefined ? [] : [{ name: "guides", type: guidesType }]),
    { name: "states", type: chain.statesType },
    ...(measures.length > 0 ? [{ name: "measures", type: chain.measuresType }] : []),
    ...(chain.stopsType === undefined ? [] : [{ name: "stops", type: chain.stopsType }]),
  ]);
}

/** `Guide` of the package, which needs no import. */
const GUIDE = "{ readonly prompt: string | Int32Array }";

/** `GrammarSource` of the package. */
const GRAMMAR = 'import("ggsl").GrammarSource';
const PHRASES = 'readonly import("ggsl").Phrase[]';

const columnType = ({ sparse, tokens }: ModuleInput): string =>
  tokens !== undefined
    ? "readonly number[]"
    : sparse
      ? "ReadonlyMap<number, number>"
      : "Float32Array | readonly number[]";

interface Property {
  readonly name: string;
  readonly type: string;
  readonly isOptional?: boolean;
  readonly doc?: string;
}

function writeProperties(to: CodeBlockWriter, name: string, doc: string, list: readonly Property[]): void {
  if (list.length === 0) return writeAlias(to, name, doc, NONE);
  writeDoc(to.blankLine(), doc);
  to.write(`export interface ${name}`).block(() => {
    for (const { name: property, type, isOptional = false, doc: text } of list) {
      if (text !== undefined) writeDoc(to, text);
      to.writeLine(`readonly ${propertyName(property)}${isOptional ? "?" : ""}: ${type};`);
    }
  });
}

function writeAlias(to: CodeBlockWriter, name: string, doc: string, type: string): void {
  writeDoc(to.blankLine(), doc);
  to.writeLine(`export type ${name} = ${type};`);
}
