/** The spec file: a graph as JSON (`*.graph.json`), and the loader, which trusts nothing. */
import type { Graph } from "./graph.js";
import { isDim, verify } from "./verify.js";

/** The version of the spec format. */
export const SPEC_VERSION = 1;

export type GraphSpec = { readonly ggsl: typeof SPEC_VERSION } & Graph;

/** A spec that is not valid; `faults` says everything that is wrong with it. */
export class SpecError extends Error {
  override readonly name = "SpecError";
  constructor(readonly faults: readonly string[]) {
    super(`this graph spec is not valid:\n${faults.map((f) => `  ${f}`).join("\n")}`);
  }
}

export const toSpec = (graph: Graph): GraphSpec => ({ ggsl: SPEC_VERSION, ...graph });

export const writeSpec = (graph: Graph): string => `${JSON.stringify(toSpec(graph), undefined, 1)}\n`;

/** Parses and verifies a spec file. Throws `SpecError`. */
export function readSpec(text: string): Graph {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw new SpecError([`it is not JSON: ${(error as Error).message}`]);
  }
  return fromSpec(data);
}

/** Verifies a spec that is at hand as an object. Throws `SpecError`. */
export function fromSpec(data: unknown): Graph {
  const faults: string[] = [];
  checkShape(data, GRAPH, "spec", faults);
  if (faults.length === 0) faults.push(...verify(data as Graph));
  if (faults.length > 0) throw new SpecError(faults);
  const { ggsl: _, ...graph } = data as GraphSpec;
  return graph;
}

// ---------------------------------------------------------------- the shape of a spec

/** A test of a value, or the shapes of an object's members; a name that ends in `?` may be absent. */
type Shape = Test | { readonly [member: string]: Shape } | { readonly array: Shape };
interface Test {
  readonly is: (value: unknown) => boolean;
  readonly what: string;
}

const test = (what: string, is: (value: unknown) => boolean): Test => ({ is, what });
const text = test("a text", (v) => typeof v === "string" && v.length <= 10_000);
const number = test("a finite number", Number.isFinite);
const index = test("an index", (v) => Number.isInteger(v) && (v as number) >= 0);
const flag = test("true or false", (v) => typeof v === "boolean");
const dim = test("V or a number of rows", isDim);
const dtype = test("f32 or i32", (v) => v === "f32" || v === "i32");
const oneOf = (...names: string[]): Test => test(`one of ${names.join(", ")}`, (v) => names.includes(v as string));
const isObject = (v: unknown): v is Record<string, unknown> => typeof v === "object" && v !== null && !Array.isArray(v);
const anything = test("a value", (v) => v !== undefined);
const object = test("an object", isObject);

const ORIGIN = { "stage?": index, file: text, line: index, column: index };

const GRAPH: Shape = {
  ggsl: test(`the version ${SPEC_VERSION}`, (v) => v === SPEC_VERSION),
  name: text,
  nodes: { array: { op: text, inputs: { array: index }, attrs: object, dtype, dim, "name?": text, "origin?": ORIGIN } },
  params: {
    array: {
      name: text,
      type: oneOf("f32", "i32", "bool", "seed"),
      default: test('a finite number or "random"', (v) => v === "random" || Number.isFinite(v)),
      range: { "min?": number, "max?": number, "minExcluded?": flag, "maxExcluded?": flag },
      "doc?": text,
    },
  },
  draws: { array: { kind: oneOf("f64", "f32"), seed: anything, "at?": anything } },
  states: { array: { name: text, init: anything, next: index } },
  uniforms: { array: { name: text, expr: anything } },
  inputs: {
    array: { name: text, dtype, dim, source: { kind: oneOf("logits", "dense", "ids", "values"), "feature?": index } },
  },
  features: { array: { form: object, from: object } },
  tail: { array: { name: text, args: object } },
  stages: { array: { name: text, origin: ORIGIN } },
  outputs: { "sampled?": index, "candidates?": index, "logits?": index, "probs?": index },
};

const isTest = (shape: Shape): shape is Test => typeof (shape as Test).is === "function";

function checkShape(value: unknown, shape: Shape, where: string, faults: string[]): void {
  if (faults.length >= 20) return;
  if (isTest(shape)) {
    if (!shape.is(value)) faults.push(`${where}: ${shape.what} is expected, found ${show(value)}`);
  } else if ("array" in shape) {
    if (!Array.isArray(value)) faults.push(`${where}: a list is expected, found ${show(value)}`);
    else value.forEach((v, i) => checkShape(v, shape.array, `${where}[${i}]`, faults));
  } else {
    checkMembers(value, shape, where, faults);
  }
}

function checkMembers(
  value: unknown,
  shape: { readonly [member: string]: Shape },
  where: string,
  faults: string[],
): void {
  if (!isObject(value)) {
    faults.push(`${where}: an object is expected, found ${show(value)}`);
    return;
  }
  const known = new Map(
    Object.entries(shape).map(([name, inner]) => [name.replace("?", ""), { inner, isOptional: name.endsWith("?") }]),
  );
  for (const name of Object.keys(value)) if (!known.has(name)) faults.push(`${where}: there is no member \`${name}\``);
  for (const [name, { inner, isOptional }] of known) {
    if (value[name] === undefined && isOptional) continue;
    checkShape(value[name], inner, `${where}.${name}`, faults);
  }
}

const show = (value: unknown): string => {
  const shown = JSON.stringify(value) ?? String(value);
  return shown.length > 60 ? `${shown.slice(0, 57)}...` : shown;
};
