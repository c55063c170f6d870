/**
 * Writes a file's chains as a TypeScript module, as a JavaScript module, or as types only. A module contains the compiled
 * graphs, so a program that uses it needs no compiler.
 */
import {
  IndentationText,
  Project,
  StructureKind,
  VariableDeclarationKind,
  type SourceFile,
  type StatementStructures,
} from "ts-morph";
import type { ModuleChain, ModuleInput } from "./chains.js";
import { chainCall } from "./literal.js";
import { Names, propertyName, typeName } from "./names.js";
import { chainDoc, grammarDoc, guideDoc, inputDoc, interfaceDocs, setDoc, uniformDoc } from "./words.js";

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
    };
  });
}

/** The beginning of every generated module. */
export const MARK = "// Made by `ggsl gen";

const header = (command: string): string => `/* eslint-disable */\n// Made by \`${command}\`; do not edit.`;

/** `command` generates the same module again. */
export const typeScriptModule = (chains: readonly NamedChain[], command: string): string =>
  printed(header(command), [
    {
      kind: StructureKind.ImportDeclaration,
      moduleSpecifier: "ggsl",
      namedImports: ["chainOf", "fromSpec", "type Chain"],
    },
    ...chains.flatMap((chain) => [
      ...typesOf(chain),
      constant(chain, chainCall(chain.graph, chain.rowsGraph, `<${chain.types}>`)),
    ]),
  ]);

/** The types of `javaScriptModule`. */
export const declarations = (chains: readonly NamedChain[], command: string): string =>
  printed(header(command), [
    { kind: StructureKind.ImportDeclaration, moduleSpecifier: "ggsl", isTypeOnly: true, namedImports: ["Chain"] },
    ...chains.flatMap((chain) => [...typesOf(chain), constant(chain)]),
  ]);

export const javaScriptModule = (chains: readonly NamedChain[]): string =>
  [
    'import { chainOf, fromSpec } from "ggsl";',
    ...chains.map(({ exported, graph, rowsGraph }) => `export const ${exported} = ${chainCall(graph, rowsGraph, "")};`),
    "",
  ].join("\n");

function printed(head: string, statements: readonly StatementStructures[]): string {
  const project = new Project({
    useInMemoryFileSystem: true,
    skipLoadingLibFiles: true,
    manipulationSettings: { indentationText: IndentationText.TwoSpaces },
  });
  const file: SourceFile = project.createSourceFile("module.ts");
  file.addStatements([head, ...statements]);
  // the printer writes no empty line before type aliases
  return file.getFullText().replace(/;\n\/\*\*/g, ";\n\n/**");
}

const docs = (description: string): { docs: { description: string }[] } => ({
  docs: [{ description: `\n${description}` }],
});

/** A type that accepts no name; an empty interface would accept all. */
const NONE = "Readonly<Record<string, never>>";

function typesOf(chain: NamedChain): StatementStructures[] {
  const { name, uniforms, sets, grammars, inputs, guides, guidesType, graph } = chain;
  const { measures } = graph;
  return [
    properties(chain.uniformsType, interfaceDocs.uniforms(name), [
      ...uniforms.map((u) => ({
        name: u.name,
        type: u.type === "bool" ? "boolean" : "number",
        isOptional: true,
        doc: uniformDoc(u),
      })),
      ...sets.map((s) => ({
        name: s.name,
        type: "readonly (number | string)[]",
        isOptional: true,
        doc: setDoc(s),
      })),
      ...grammars.map((g) => ({ name: g.name, type: GRAMMAR, isOptional: true, doc: grammarDoc(g) })),
    ]),
    properties(
      chain.inputsType,
      interfaceDocs.inputs(name),
      inputs.map((i) => ({ name: i.name, type: columnType(i), isOptional: false, doc: inputDoc(i) })),
    ),
    ...(guidesType === undefined
      ? []
      : [
          properties(
            guidesType,
            interfaceDocs.guides(name),
            guides.map((g) => ({ name: g.name, type: GUIDE, isOptional: false, doc: guideDoc(g) })),
          ),
        ]),
    {
      kind: StructureKind.TypeAlias,
      name: chain.statesType,
      isExported: true,
      type: `readonly [${graph.states.map((s) => `${s.name}: number`).join(", ")}]`,
      ...docs(interfaceDocs.states(name)),
    },
    ...(measures.length > 0
      ? [
          properties(
            chain.measuresType,
            interfaceDocs.measures(name),
            measures.map((m) => ({ name: m.name, type: "number", isOptional: false })),
          ),
        ]
      : []),
    {
      kind: StructureKind.Interface,
      name: chain.types,
      isExported: true,
      ...docs(interfaceDocs.types(name)),
      properties: [
        { name: "uniforms", type: chain.uniformsType, isReadonly: true },
        { name: "inputs", type: chain.inputsType, isReadonly: true },
        ...(guidesType === undefined ? [] : [{ name: "guides", type: guidesType, isReadonly: true }]),
        { name: "states", type: chain.statesType, isReadonly: true },
        ...(measures.length > 0 ? [{ name: "measures", type: chain.measuresType, isReadonly: true }] : []),
      ],
    },
  ];
}

/** `Guide` of the package, which needs no import. */
const GUIDE = "{ readonly prompt: string | Int32Array }";

/** `GrammarSource` of the package. */
const GRAMMAR = 'import("ggsl").GrammarSource';

const columnType = ({ sparse, tokens }: ModuleInput): string =>
  tokens !== undefined
    ? "readonly number[]"
    : sparse
      ? "ReadonlyMap<number, number>"
      : "Float32Array | readonly number[]";

interface Property {
  readonly name: string;
  readonly type: string;
  readonly isOptional: boolean;
  readonly doc?: string;
}

function properties(name: string, doc: string, list: readonly Property[]): StatementStructures {
  if (list.length === 0) return { kind: StructureKind.TypeAlias, name, isExported: true, type: NONE, ...docs(doc) };
  return {
    kind: StructureKind.Interface,
    name,
    isExported: true,
    ...docs(doc),
    properties: list.map((p) => ({
      name: propertyName(p.name),
      type: p.type,
      isReadonly: true,
      hasQuestionToken: p.isOptional,
      ...(p.doc !== undefined && docs(p.doc)),
    })),
  };
}

/** `export const`; a declaration only if there is no value. */
const constant = (chain: NamedChain, value?: string): StatementStructures => ({
  kind: StructureKind.VariableStatement,
  declarationKind: VariableDeclarationKind.Const,
  isExported: true,
  hasDeclareKeyword: value === undefined,
  declarations: [
    { name: chain.exported, type: `Chain<${chain.types}>`, ...(value !== undefined && { initializer: value }) },
  ],
  ...docs(chainDoc(chain, chain.exported)),
});
