/** The values of a request for the chain that writes its text. */
import type { Range } from "@ggsl/compiler/core/range.js";
import { namedInputs } from "@ggsl/compiler/graph/features.js";
import type { Graph, Param } from "@ggsl/compiler/graph/graph.js";
import { hasOpenSeed } from "@ggsl/compiler/graph/seeds.js";
import { seededChain, type Chain } from "ggsl/chain/chain.js";
import type { Feed } from "ggsl/sequence/features/feed.js";
import type { UniformValues } from "ggsl/sequence/sequence.js";
import type { CommonBody } from "../request/bodies.js";
import { isNeutral, isWish, type Body } from "../request/fields.js";
import { LONGEST_WINDOW, NUMERIC_FIELD_NAMES, type NumericFieldName } from "../request/samplerFields.js";
import { Refusal } from "../refusal.js";

/** Fields that set a uniform, and the names that it may have: the first that the chain has. */
const PARAMETERS = {
  ...(Object.fromEntries(NUMERIC_FIELD_NAMES.map((name): [string, readonly string[]] => [name, [name]])) as Record<
    NumericFieldName,
    readonly string[]
  >),
  temperature: ["temperature"],
  top_p: ["top_p"],
  min_p: ["min_p"],
  top_k: ["top_k"],
  frequency_penalty: ["frequency_penalty"],
  presence_penalty: ["presence_penalty"],
  repeat_penalty: ["repeat_penalty"],
  repetition_penalty: ["repetition_penalty", "repeat_penalty"],
  repeat_last_n: ["repeat_last_n"],
} as const satisfies Readonly<Partial<Record<keyof CommonBody, readonly string[]>>>;
type ParameterName = keyof typeof PARAMETERS;

/** A chain with all that its request gives it. */
export interface Prepared {
  readonly chain: Chain;
  /** Whether it is the server's, and not the request's. */
  readonly isOwn: boolean;
  readonly uniforms: UniformValues;
  readonly feed: Feed;
  /** Of the first text. */
  readonly seed: number | undefined;
}

/** The chain of a request, and the request. */
export interface Asked {
  readonly chain: Chain;
  readonly body: CommonBody;
  /**
   * Called with the fields that the chain has nothing for, if it is the server's and the server is lenient: they have no effect.
   * Without it they are refused. Fields that ask for nothing are neither.
   */
  readonly ignore: ((field: string) => void) | undefined;
}

/** Throws a `Refusal` for a field that the chain has no uniform for, and for one that is given twice. */
export function uniformsFor(asked: Asked): Record<string, UniformValues[string]> {
  const { chain, body } = asked;
  const values: Record<string, UniformValues[string]> = { ...body.sampler_params };
  const neutral: (() => void)[] = [];
  for (const name of Object.keys(PARAMETERS) as ParameterName[]) {
    const given = body[name];
    if (given === undefined) continue;
    const value = meaningOf(name, given);
    const param = paramFor(chain, name);
    if (!param) lack(asked, name, `no uniform \`${name}\``);
    else if (!isWish(name, body as Body)) neutral.push(() => setNeutral(values, param, value));
    else {
      checkRange(param, value, name);
      set(values, param.name, value, name);
    }
  }
  // what was asked for comes first, also by the other name of a field
  for (const add of neutral) add();
  return values;
}

/** What -1 means: all candidates, or the whole text. */
const ALL: Readonly<Partial<Record<ParameterName, number>>> = {
  top_k: 0,
  repeat_last_n: LONGEST_WINDOW,
  dry_penalty_last_n: LONGEST_WINDOW,
};

const meaningOf = (name: ParameterName, value: number): number => (value === -1 ? (ALL[name] ?? value) : value);

function paramFor({ graph: { params } }: Chain, field: ParameterName): Param | undefined {
  for (const name of PARAMETERS[field]) {
    const param = params.find((one) => one.name === name);
    if (param) return param;
  }
  return undefined;
}

const isIn = ({ min = -Infinity, max = Infinity, minExcluded, maxExcluded }: Range, value: number): boolean =>
  (minExcluded ? value > min : value >= min) && (maxExcluded ? value < max : value <= max);

function checkRange({ name, range }: Param, value: number, field: string): void {
  if (isIn(range, value)) return;
  const { min, max, minExcluded, maxExcluded } = range;
  const bounds = [
    ...(min === undefined ? [] : [`${minExcluded ? "above" : "at least"} ${min}`]),
    ...(max === undefined ? [] : [`${maxExcluded ? "below" : "at most"} ${max}`]),
  ];
  const message = `\`${field}\` must be ${bounds.join(" and ")} for the uniform \`${name}\` of this chain, found ${value}`;
  throw new Refusal("invalid_request", message, { param: field });
}

/** A value that asks for nothing is set where it can be, and is in nothing's way. */
function setNeutral(values: Record<string, UniformValues[string]>, { name, range }: Param, value: number): void {
  if (isIn(range, value) && !Object.hasOwn(values, name)) values[name] = value;
}

/** Sets a value that a field gives. Throws a `Refusal` if `sampler_params` has it too. */
export function set(
  values: Record<string, UniformValues[string]>,
  name: string,
  value: UniformValues[string],
  field = name,
): void {
  if (Object.hasOwn(values, name))
    throw new Refusal(
      "invalid_request",
      `\`${field}\` and \`sampler_params.${name}\` set the same uniform: give one of them`,
      { param: field },
    );
  values[name] = value;
}

/** Fields that are stages of their own, which no uniform can stand for. */
const STAGES = ["samplers", "dry_sequence_breakers", "bad_words", "allowed_token_ids"] as const;

/** Throws a `Refusal` for fields that ask for stages, which a chain has or has not. */
export function checkStages(asked: Asked): void {
  const { body } = asked;
  for (const name of STAGES)
    if (body[name] !== undefined) lack(asked, name, `stages of its own, which \`${name}\` cannot change`);
  if (body.min_tokens && body.stop_token_ids?.length)
    lack(asked, "stop_token_ids", "no stage that bans these tokens before `min_tokens`");
}

/** The columns, texts and biases of a request. */
export function feedFor(asked: Asked): Feed {
  const { chain, body } = asked;
  const { logit_bias: biases, sampler_inputs: inputs } = body;
  checkInputs(asked);
  const readsBiases = chain.graph.features.some(({ from }) => from.kind === "bias");
  if (biases && !readsBiases) lack(asked, "logit_bias", "no stage that reads biases, such as `logit_bias()`");
  return {
    ...(biases && readsBiases && { bias: biasesOf(biases) }),
    ...(inputs && {
      inputs: Object.fromEntries(
        Object.entries(inputs).map(([name, column]) => [
          name,
          Array.isArray(column)
            ? (column as number[])
            : pairsOf(column as Record<string, number>, `sampler_inputs.${name}`),
        ]),
      ),
    }),
  };
}

/** Refuses inputs that the chain does not declare. */
function checkInputs({ chain, body: { sampler_inputs: inputs = {} } }: Asked): void {
  const known = inputNames(chain.graph);
  const unknown = Object.keys(inputs).find((name) => !known.has(name));
  if (unknown === undefined) return;
  const has = known.size === 0 ? "" : `; its inputs are ${[...known].map((name) => `\`${name}\``).join(", ")}`;
  throw new Refusal(
    "parameter_not_in_sampler",
    `the chain \`${chain.name}\` has no input \`${unknown}\`${has}: declare it there, or omit it`,
    { param: `sampler_inputs.${unknown}` },
  );
}

/** What a graph declares with `input`, also the logits of other sequences. */
const inputNames = ({ features }: Graph): ReadonlySet<string> => new Set(namedInputs(features).map(({ name }) => name));

const BANNED = -100;

const biasesOf = (biases: Readonly<Record<string, number>>): Map<number, number> =>
  new Map([...pairsOf(biases, "logit_bias")].map(([token, bias]) => [token, bias <= BANNED ? -Infinity : bias]));

function pairsOf(pairs: Readonly<Record<string, number>>, param: string): Map<number, number> {
  const bad = Object.keys(pairs).find((token) => !/^\d{1,10}$/.test(token));
  if (bad !== undefined)
    throw new Refusal("invalid_request", `\`${param}\` must have token ids as names, found \`${bad}\``, { param });
  return new Map(Object.entries(pairs).map(([token, value]) => [Number(token), value]));
}

const hasSeed = ({ graph: { params } }: Chain): boolean => params.some(({ name }) => name === "seed");

/** The seed of a request; undefined if it has none, or none that has an effect. Throws a `Refusal`. */
export function seedFor(asked: Asked, uniforms: UniformValues): number | undefined {
  const { chain, body } = asked;
  const { seed } = body;
  if (seed === undefined || isNeutral("seed", seed)) return undefined;
  if (hasSeed(chain)) set({ ...uniforms }, "seed", seed);
  else if (!hasOpenSeed(chain.graph)) {
    lack(asked, "seed", "no draws, or fixes all their seeds: a seed has no effect");
    return undefined;
  }
  return seed;
}

type Seeded = Omit<Prepared, "seed" | "isOwn">;

/** The chain with the seed of each text: that of the request, and those after it. */
export function seededBy({ seed, chain, uniforms, feed }: Prepared): (index: number) => Seeded {
  if (seed === undefined) return () => ({ chain, uniforms, feed });
  const seedOf = (index: number): number => (seed + index) % 2 ** 32;
  return hasSeed(chain)
    ? (index) => ({ chain, uniforms: { ...uniforms, seed: seedOf(index) }, feed })
    : (index) => ({ chain: seededChain(chain, seedOf(index)), uniforms, feed });
}

/** The chain has nothing for a field. Throws a `Refusal` unless the field asks for nothing, or is ignored. */
function lack({ chain: { name, graph }, body, ignore }: Asked, param: keyof CommonBody, what: string): void {
  if (!isWish(param, body as Body)) return;
  if (ignore) return ignore(param);
  const names = graph.params.map((one) => `\`${one.name}\``);
  const has = names.length > 0 ? `; its uniforms are ${names.join(", ")}` : "";
  const message = `the chain \`${name}\` has ${what}${has}: declare it there, or omit \`${param}\``;
  throw new Refusal("parameter_not_in_sampler", message, { param });
}
