/** The values of a request for the chain that writes its text. */
import { hasOpenSeed, withSeed } from "@ggsl/compiler/graph/seeds.js";
import type { Chain } from "ggsl/chain.js";
import type { Feed } from "ggsl/features/feed.js";
import type { UniformValues } from "ggsl/sequence.js";
import type { CommonBody } from "../openai/bodies.js";
import { Refusal } from "../refusal.js";

/** Fields that set the uniform of the same name. */
const PARAMETERS = [
  ...["temperature", "top_p", "min_p", "top_k"],
  ...["frequency_penalty", "presence_penalty", "repeat_penalty", "repeat_last_n"],
] as const satisfies readonly (keyof CommonBody)[];

/** A chain with all that its request gives it. */
export interface Prepared {
  readonly chain: Chain;
  readonly uniforms: UniformValues;
  readonly feed: Feed;
}

/** Throws a `Refusal` for a field that the chain has no uniform for, and for one that is given twice. */
export function uniformsFor(chain: Chain, body: CommonBody): UniformValues {
  const { params } = chain.graph;
  const values: Record<string, UniformValues[string]> = { ...body.sampler_params };
  for (const name of PARAMETERS) {
    const value = body[name];
    if (value === undefined) continue;
    if (!params.some((param) => param.name === name)) throw lacks(chain, name, `no uniform \`${name}\``);
    set(values, name, value);
  }
  return values;
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

/** The columns, texts and biases of a request. */
export function feedFor(chain: Chain, { logit_bias: biases, sampler_inputs: inputs }: CommonBody): Feed {
  if (biases && !chain.graph.features.some(({ from }) => from.kind === "bias"))
    throw lacks(chain, "logit_bias", "no stage that reads biases, such as `logit_bias()`");
  return {
    ...(biases && { bias: biasesOf(biases) }),
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

const BANNED = -100;

const biasesOf = (biases: Readonly<Record<string, number>>): Map<number, number> =>
  new Map([...pairsOf(biases, "logit_bias")].map(([token, bias]) => [token, bias <= BANNED ? -Infinity : bias]));

function pairsOf(pairs: Readonly<Record<string, number>>, param: string): Map<number, number> {
  const bad = Object.keys(pairs).find((token) => !/^\d{1,10}$/.test(token));
  if (bad !== undefined)
    throw new Refusal("invalid_request", `\`${param}\` must have token ids as names, found \`${bad}\``, { param });
  return new Map(Object.entries(pairs).map(([token, value]) => [Number(token), value]));
}

/** The chain with the seed of each of `count` texts: that of the request, and those after it. */
export function seededBy(seed: number | undefined, { chain, uniforms, feed }: Prepared): (index: number) => Prepared {
  if (seed === undefined) return () => ({ chain, uniforms, feed });
  const seedOf = (index: number): number => (seed + index) % 2 ** 32;
  if (chain.graph.params.some(({ name }) => name === "seed")) {
    set({ ...uniforms }, "seed", seed);
    return (index) => ({ chain, uniforms: { ...uniforms, seed: seedOf(index) }, feed });
  }
  if (!hasOpenSeed(chain.graph)) throw lacks(chain, "seed", "no draws, or fixes all their seeds: a seed has no effect");
  return (index) => ({ chain: { ...chain, graph: withSeed(chain.graph, seedOf(index)) }, uniforms, feed });
}

function lacks({ name, graph }: Chain, param: string, what: string): Refusal {
  const names = graph.params.map((one) => `\`${one.name}\``);
  const has = names.length > 0 ? `; its uniforms are ${names.join(", ")}` : "";
  return new Refusal("parameter_not_in_sampler", `the chain \`${name}\` has ${what}${has}`, { param });
}
