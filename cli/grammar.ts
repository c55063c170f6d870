/** Grammars on the command line: `--grammar FILE` and `--json-schema FILE`. */
import { Option } from "commander";
import { grammarsOf } from "@ggsl/compiler/graph/grammars.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { InputError } from "ggsl/core/errors.js";
import type { GrammarSource } from "ggsl/grammars/types.js";
import { MAX_BYTES, readText } from "./files.js";
import { UsageError } from "./usage.js";
import { withValues } from "./values.js";

export interface GrammarOptions {
  readonly grammar?: string;
  readonly jsonSchema?: string;
}

const TARGET = "the chain's parameter of type `grammar`; a chain without one gets the sampler `constrain` in front";

export const grammarOption = (): Option =>
  withValues(
    new Option("--grammar <file>", `a grammar in llama.cpp's form (GBNF) for ${TARGET}`).conflicts("jsonSchema"),
    { files: ["gbnf"] },
  );
export const jsonSchemaOption = (): Option =>
  withValues(new Option("--json-schema <file>", "a JSON schema that the text obeys, in place of --grammar"), {
    files: ["json"],
  });

/** Whether the chain needs a parameter for a grammar. */
export const isConstrained = ({ grammar, jsonSchema }: GrammarOptions): boolean =>
  grammar !== undefined || jsonSchema !== undefined;

/** The grammar that the options name; absent without one. */
export function readGrammar({ grammar, jsonSchema }: GrammarOptions): GrammarSource | undefined {
  if (grammar !== undefined) return { gbnf: textOf(grammar) };
  return jsonSchema === undefined ? undefined : { jsonSchema: schemaIn(jsonSchema) };
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
