/** Grammars on the command line: `--grammar FILE` and `--json-schema FILE`. */
import { Option, type Command } from "commander";
import { grammarsOf } from "@ggsl/compiler/graph/grammars.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { InputError } from "ggsl/core/errors.js";
import type { GrammarSource, SchemaSource } from "ggsl/grammars/types.js";
import { MAX_BYTES, readText } from "./files.js";
import { UsageError } from "./usage.js";
import { withValues } from "./values.js";

export interface GrammarOptions {
  readonly grammar?: string;
  readonly jsonSchema?: string;
  readonly schemaIgnore?: readonly string[];
  readonly schemaWhitespace?: NonNullable<SchemaSource["whitespace"]>;
  readonly schemaOrder?: NonNullable<SchemaSource["order"]>;
  readonly schemaOthers?: NonNullable<SchemaSource["others"]>;
}

const TARGET = "the chain's parameter of type `grammar`; a chain without one gets the sampler `constrain` in front";

const grammarOption = (): Option =>
  withValues(
    new Option("--grammar <file>", `a grammar in llama.cpp's form (GBNF) for ${TARGET}`).conflicts("jsonSchema"),
    { files: ["gbnf"] },
  );
const jsonSchemaOption = (): Option =>
  withValues(new Option("--json-schema <file>", "a JSON schema that the text obeys, in place of --grammar"), {
    files: ["json"],
  });

export const addGrammarOptions = (command: Command): Command =>
  grammarOptions().reduce((all, option) => all.addOption(option), command);

const grammarOptions = (): Option[] => [
  grammarOption(),
  jsonSchemaOption(),
  new Option(
    "--schema-ignore <keywords>",
    "keywords of --json-schema that the text need not obey, such as uniqueItems,not",
  ).argParser((names: string) => names.split(",").map((name) => name.trim())),
  new Option("--schema-whitespace <which>", "what comes between the parts of the JSON").choices([
    "usual",
    "line",
    "none",
    "any",
  ]),
  new Option("--schema-order <which>", "the order of an object's properties").choices(["declared", "any"]),
  new Option("--schema-others <which>", "properties that the schema does not describe").choices(["none", "any"]),
];

/** Whether the chain needs a parameter for a grammar. */
export const isConstrained = ({ grammar, jsonSchema }: GrammarOptions): boolean =>
  grammar !== undefined || jsonSchema !== undefined;

/** The grammar that the options name; absent without one. */
export function readGrammar(options: GrammarOptions): GrammarSource | undefined {
  const { grammar, jsonSchema } = options;
  const { schemaIgnore: ignore, schemaWhitespace: whitespace, schemaOrder: order, schemaOthers: others } = options;
  const ofSchema = {
    ...(ignore && { ignore }),
    ...(whitespace && { whitespace }),
    ...(order && { order }),
    ...(others && { others }),
  };
  if (jsonSchema !== undefined) return { ...ofSchema, jsonSchema: schemaIn(jsonSchema) };
  if (Object.keys(ofSchema).length > 0)
    throw new UsageError("--schema-ignore, --schema-whitespace, --schema-order and --schema-others need --json-schema");
  return grammar === undefined ? undefined : { gbnf: textOf(grammar) };
}

const textOf = (file: string): string => readText(file, MAX_BYTES.grammar);

/** The text itself is passed on, because the order of a schema's properties is that of the text to generate. */
function schemaIn(file: string): string {
  const text = textOf(file);
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (error) {
    throw new InputError(`"${file}" is not JSON: ${(error as Error).message}`, { code: "INVALID_SCHEMA" });
  }
  const isSchema = typeof schema === "boolean" || (typeof schema === "object" && schema && !Array.isArray(schema));
  if (isSchema) return text;
  throw new InputError(`"${file}" is no JSON schema: expected an object or a boolean`, { code: "INVALID_SCHEMA" });
}

/** The value of the chain's one grammar, for its uniforms. */
export function grammarUniforms(graph: Graph, grammar: GrammarSource | undefined): Record<string, GrammarSource> {
  if (!grammar) return {};
  const [param, ...more] = grammarsOf(graph).map(({ name }) => name);
  if (param === undefined)
    throw new UsageError("--grammar and --json-schema need a program: the chain of this spec has no grammar parameter");
  if (more.length > 0)
    throw new UsageError(
      `the chain \`${graph.name}\` has several grammars (${[param, ...more].join(", ")}): --grammar and --json-schema set one`,
    );
  return { [param]: grammar };
}
