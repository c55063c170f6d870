/** The grammars of a sequence: those of the program, and those that are given with the request. */
import type { Graph, GrammarRef } from "@ggsl/compiler/graph/graph.js";
import { grammarsOf } from "@ggsl/compiler/graph/grammars.js";
import * as is from "../check.js";
import { InputError } from "../errors.js";
import type { GrammarKind, GrammarSource, GrammarState } from "../grammars/types.js";
import type { Feed } from "./feed.js";

/** What the grammars of a chain's parameters are given as, by the parameter's name. */
export type GrammarValues = ReadonlyMap<string, GrammarSource>;

/** A grammar that a sequence follows. */
export interface OpenGrammar {
  readonly state: GrammarState;
  /** The tokens since it began, the last one first. */
  readonly path?: Path;
}

interface Path {
  readonly token: number;
  readonly before: Path | undefined;
}

/** A grammar at its beginning. */
export function openGrammar(grammar: GrammarRef, values: GrammarValues, feed: Feed): OpenGrammar {
  if (!feed.openGrammar) throw new InputError("a grammar needs a model's vocabulary, and there is no model");
  return { state: feed.openGrammar(typeof grammar === "string" ? { gbnf: grammar } : values.get(grammar.param)!) };
}

export const acceptGrammar = ({ state, path }: OpenGrammar, token: number): OpenGrammar => ({
  state: state.accept(token),
  path: { token, before: path },
});

/** The tokens since a grammar began. */
export function tokensSince({ path }: OpenGrammar): number[] {
  const tokens: number[] = [];
  for (let at = path; at; at = at.before) tokens.push(at.token);
  return tokens.reverse();
}

/** A grammar after tokens of a saved sequence. */
export function afterTokens(grammar: OpenGrammar, tokens: readonly number[]): OpenGrammar {
  const state = grammar.state.acceptAll(tokens).at(-1) ?? grammar.state;
  return tokens.reduce<OpenGrammar>((at, token) => ({ state, path: { token, before: at.path } }), { state });
}

/** The values that are grammars of the chain; those in `present` are kept unless they are set. */
export function grammarValues(
  graph: Graph,
  values: Readonly<Record<string, unknown>>,
  present: GrammarValues = new Map(),
): GrammarValues {
  const given = new Map<string, GrammarSource>();
  for (const { name, default: standard } of grammarsOf(graph)) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    const source =
      value === undefined
        ? (present.get(name) ?? (standard === undefined ? undefined : { gbnf: standard }))
        : sourceOf(name, value);
    if (!source)
      throw new InputError(
        `the chain \`${graph.name}\` needs a grammar for \`${name}\`: give it with the request, as in \`uniforms: { ${name}: { jsonSchema: { type: "object" } } }\``,
        { code: "MISSING_GRAMMAR" },
      );
    given.set(name, source);
  }
  return given;
}

const someSchema = is.that(
  "a JSON schema: an object, a boolean, or either as JSON text",
  (value) =>
    typeof value === "boolean" ||
    typeof value === "string" ||
    (typeof value === "object" && value !== null && !Array.isArray(value)),
);

/** The forms of a grammar, each with what it takes. */
const FORMS: Readonly<Record<GrammarKind, is.Check>> = {
  gbnf: is.text,
  jsonSchema: someSchema,
  regex: is.text,
  choices: is.listOf("a list of texts", is.text),
  structuralTag: is.someObject,
};

const NAMES = Object.keys(FORMS)
  .map((form) => `\`${form}\``)
  .join(", ");

/** A grammar in exactly one of its forms. */
export const grammarSource: is.Check = (value, name) => {
  const forms = typeof value === "object" && value !== null ? Object.keys(value) : [];
  const [form, ...more] = forms.filter((key) => (value as Readonly<Record<string, unknown>>)[key] !== undefined);
  if (form === undefined || more.length > 0 || !Object.hasOwn(FORMS, form))
    is.refuse(name, `a grammar, an object with one of ${NAMES}`, value);
  else FORMS[form as GrammarKind]((value as Readonly<Record<string, unknown>>)[form], `${name}.${form}`);
};

function sourceOf(name: string, value: unknown): GrammarSource {
  grammarSource(value, name);
  return value as GrammarSource;
}
