/** The spec file: a graph as JSON (`*.graph.json`), and its loader, which validates everything. */
import { LIMITS } from "../limits/format.js";
import { checkNames, type OptionNames } from "../core/optionNames.js";
import { limitsOf, type LimitOptions } from "../limits/limits.js";
import { costFaults } from "./cost.js";
import { FEATURES, type MemberType } from "./features.js";
import type { Graph } from "./graph.js";
import {
  isBreakers,
  isDim,
  isFiniteF32,
  isName,
  isSequences,
  isStopName,
  isText,
  isTextSource,
  isWindowSize,
  isWritten,
} from "./values.js";
import { isSeed, SEED_RANGE } from "./param.js";
import { isStream, MAX_STREAM } from "./streams.js";
import { READ_VERSIONS, versionFaults, versionOf, type SpecVersion } from "./specVersions.js";
import { checkShape, isObject, MAX_FAULTS, test, type Shape, type Test } from "./shape.js";
import { isPhraseItems } from "./phrases.js";
import { isRuleName } from "./rules.js";
import { isItems } from "./sets.js";
import { show } from "../core/show.js";
import { tailFaults } from "./tail.js";
import { verify } from "./verify.js";

/** A graph with the version of the format. */
export type GraphSpec = { readonly ggsl: SpecVersion } & Graph;

/** An invalid spec; `faults` lists the first faults. */
export class SpecError extends Error {
  override readonly name = "SpecError";
  readonly code = "INVALID_SPEC";
  constructor(readonly faults: readonly string[]) {
    super(`invalid graph spec:\n${faults.map((f) => `  ${f}`).join("\n")}`);
  }
}

/** The graph as the JSON object of a spec file. */
export const toSpec = (graph: Graph): GraphSpec => ({ ggsl: versionOf(graph), ...graph });

/** The text of a spec file, which `readSpec` reads. */
export const writeSpec = (graph: Graph): string => `${JSON.stringify(toSpec(graph), undefined, 1)}\n`;

/** How a spec is read. */
export interface SpecOptions {
  /** What the graph may cost: a preset, or limits that replace those of `default`. */
  readonly limits?: LimitOptions | undefined;
}

const NAMES: OptionNames<SpecOptions> = { limits: true };

/** Parses and verifies a spec file. Throws `SpecError`, and `OptionError` for unknown options. */
export function readSpec(text: string, options: SpecOptions = {}): Graph {
  checkNames(options, NAMES);
  // callers without types
  if (typeof text !== "string") throw new SpecError([`a spec is a text, found ${show(text)}`]);
  if (text.length > LIMITS.spec)
    throw new SpecError([`it has ${text.length} characters; at most ${LIMITS.spec} are allowed`]);
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw new SpecError([`it is not JSON: ${(error as Error).message}`]);
  }
  return fromSpec(data, options);
}

/** Verifies a spec that is already an object. Throws `SpecError`. */
export function fromSpec(data: unknown, options: SpecOptions = {}): Graph {
  checkNames(options, NAMES);
  const limits = limitsOf(options.limits);
  const faults = specFaults(data);
  if (faults.length === 0) for (const one of costFaults(graphIn(data), limits)) faults.push(one);
  if (faults.length > 0) throw new SpecError(firstOf(faults));
  return graphIn(data);
}

/** The graph of a spec of a valid shape. Version 1 has no measures. */
function graphIn(data: unknown): Graph {
  const { ggsl: _, ...graph } = data as GraphSpec;
  return { ...graph, measures: (graph as Partial<Graph>).measures ?? [] };
}

/** All faults of a spec, whatever it costs; empty for a valid one. */
export function specFaults(data: unknown): string[] {
  const faults: string[] = [];
  checkShape(data, GRAPH, "spec", faults);
  // the host tail of a program is checked when its samplers are created
  if (faults.length > 0) return faults;
  const newer = versionFaults(data as GraphSpec);
  if (newer.length > 0) return newer;
  const graph = graphIn(data);
  return [...verify(graph), ...tailFaults(graph)];
}

const firstOf = (faults: readonly string[]): string[] =>
  faults.length <= MAX_FAULTS
    ? [...faults]
    : [...faults.slice(0, MAX_FAULTS), `and ${faults.length - MAX_FAULTS} more`];

// ---------------------------------------------------------------- the shape of a spec

const oneOf = (...names: string[]): Test => test(`one of ${names.join(", ")}`, (v) => names.includes(v as string));
const isIndex = (v: unknown): boolean => Number.isInteger(v) && (v as number) >= 0;

const name = test(`a text of at most ${LIMITS.name} characters`, isName);
const windowSize = test(`an integer from 1 to ${LIMITS.window}`, isWindowSize);
const stopName = test(`a text of 1 to ${LIMITS.stopName} characters`, isStopName);
const written = test(`a text of 1 to ${LIMITS.written} characters`, isWritten);
const ruleName = test(`a text of 1 to ${LIMITS.ruleName} characters`, isRuleName);
const text = test(`a text of at most ${LIMITS.text} characters`, isText);
const grammar = test(`a text of at most ${LIMITS.text} characters, or a parameter`, (v) =>
  isText(v) || (isObject(v) && Object.keys(v).join() === "param" && isName(v["param"])));
const number = test("a finite number", Number.isFinite);
const f32 = test("a finite f32 number", isFiniteF32);
const index = test("an index", isIndex);
const flag = test("true or false", (v) => typeof v === "boolean");
const dim = test("V or a number of rows", isDim);
const dtype = oneOf("f32", "i32");
const breakers = test(`a list of at most ${LIMITS.list} texts and token ids`, isBreakers);
const sequences = test(
  `a list of at most ${LIMITS.list} texts, token ids and lists of token ids, none empty`,
  isSequences,
);
const items = test(`a list of at most ${LIMITS.list} token ids, texts, patterns and classes`, isItems);
const phrases = test(`a list of at most ${LIMITS.list} texts and patterns`, isPhraseItems);
const count = test("an integer from 1", (v) => Number.isInteger(v) && (v as number) >= 1);
/** A negative number means the whole history. */
const last = test(`an integer of at most ${LIMITS.dim}, or an expression`, (v) =>
  typeof v === "number" ? Number.isInteger(v) && Math.abs(v) <= LIMITS.dim : v !== undefined);
const source = test(`"prompt", "generated" or an input of 1 to ${LIMITS.dim} tokens`, isTextSource);
/** A uniform expression; the verifier checks it. */
const expr = test("an expression", (v) => v !== undefined);
/** What a member of a feature's source may be. */
const MEMBERS: Readonly<Record<MemberType, Test>> = {
  window: last,
  text: source,
  breakers,
  sequences,
  grammar,
  expression: expr,
  truth: test("true", (v) => v === true),
  name,
  index,
  inputType: oneOf("i32", "bool"),
};
/** A table with other values. */
const mapped = <Value, Result>(
  table: Readonly<Record<string, Value>>,
  of: (value: Value) => Result,
): Record<string, Result> => Object.fromEntries(Object.entries(table).map(([key, value]) => [key, of(value)]));
/** The arguments of a tail stage; the verifier checks each. */
const args = test("an object", isObject);

/** More attributes than any op has. */
const MAX_ATTRS = 8;
const attrs = test("an object of numbers and short texts", (v) =>
  isObject(v) &&
  Object.keys(v).length <= MAX_ATTRS &&
  Object.values(v).every((a) => Number.isFinite(a) || (typeof a === "string" && a.length <= 60)));

const seed = test(`${SEED_RANGE}, "random" or a parameter`, (v) =>
  v === "random" || isSeed(v) || (isObject(v) && Object.keys(v).join() === "param" && isName(v["param"])));

const stream = test(`an integer from 1 to ${MAX_STREAM}`, isStream);

const PLACE = { file: name, line: index, column: index };

const GRAPH: Shape = {
  ggsl: test(`one of the versions ${READ_VERSIONS.join(", ")}`, (v) => READ_VERSIONS.includes(v)),
  name,
  nodes: {
    array: {
      op: name,
      inputs: { array: index },
      attrs,
      dtype,
      dim,
      "name?": name,
      "origin?": { stage: index, ...PLACE },
    },
  },
  params: {
    array: {
      name,
      type: oneOf("f32", "i32", "bool", "seed"),
      default: test('a finite number or "random"', (v) => v === "random" || Number.isFinite(v)),
      range: { "min?": number, "max?": number, "minExcluded?": flag, "maxExcluded?": flag },
      "doc?": text,
    },
  },
  draws: { array: { kind: oneOf("f64", "f32", "seed"), seed, "stream?": stream, "at?": expr } },
  states: { array: { name, "type?": oneOf("i32"), init: expr, next: index } },
  "windows?": { array: { name, size: windowSize, next: index } },
  "measures?": { array: { name, node: index } },
  "stops?": { array: { name: stopName, node: index } },
  "writes?": { array: { text: written, when: expr } },
  uniforms: { array: { name, expr } },
  inputs: {
    array: {
      name,
      dtype,
      dim,
      source: {
        kinds: {
          logits: {},
          dense: { feature: index },
          bits: { feature: index },
          ids: { feature: index },
          values: { feature: index },
        },
      },
    },
  },
  features: {
    array: {
      form: { kinds: { dense: {}, bits: {}, sparse: { capacity: dim, fill: f32 } } },
      from: { kinds: mapped(FEATURES, ({ members }) => mapped(members, (type) => MEMBERS[type])) },
    },
  },
  "phrases?": { array: { name, of: phrases } },
  "grammars?": { array: { name, "default?": text, "doc?": text } },
  "rules?": { array: { grammar, name: ruleName } },
  "sets?": { array: { of: items, "name?": name, "capacity?": count, "doc?": text } },
  tail: { array: { name, args } },
  // a stage's name is its source text, which can contain a whole grammar
  stages: { array: { name: text, origin: PLACE, "rows?": dim, "drops?": { array: text } } },
  outputs: { "sampled?": index, "candidates?": index, "logits?": index, "probs?": index },
};
