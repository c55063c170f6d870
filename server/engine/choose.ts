/** Which chain writes the texts of a request. */
import { grammarsOf } from "@ggsl/compiler/graph/grammars.js";
import { lacksPick } from "ggsl/generation/request.js";
import type { GrammarSource } from "ggsl/grammars/types.js";
import type { UniformValues } from "ggsl/sequence/sequence.js";
import type { CommonBody } from "../request/bodies.js";
import { isNeutral } from "../request/fields.js";
import { Refusal } from "../refusal.js";
import type { SamplerClient, Samplers } from "../samplers/samplers.js";
import { mostFor, type DefaultChains } from "./defaults.js";
import { checkStages, feedFor, seedFor, set, uniformsFor, type Asked, type Prepared } from "./parameters.js";
import { madeChain, type MadeChain } from "./wishes.js";

/** What chains are chosen from. */
interface Choice {
  readonly samplers: Samplers;
  readonly defaults: DefaultChains;
  /** The names of samplers of places. */
  readonly slots: ReadonlyMap<number, string>;
  /** Fields that a chain of the server has nothing for are ignored. */
  readonly isLenient: boolean;
}

/** Fields that need the stages of penalties and biases. */
const EDITS = [
  ...["frequency_penalty", "presence_penalty", "repeat_penalty", "repetition_penalty", "repeat_last_n", "logit_bias"],
] as const satisfies readonly (keyof CommonBody)[];

/** The name of the server's sampler that replaces the default chain. */
export const DEFAULT_NAME = "default";

interface Wanted {
  readonly body: CommonBody;
  /** The server's sampler that the name of the model chooses. */
  readonly named: string | undefined;
  /** That the text obeys, and the field that asks for it; one that may be left out is, where the chain can have none. */
  readonly grammar:
    { readonly source: GrammarSource; readonly field: string; readonly mayBeLeftOut?: boolean } | undefined;
  readonly client: SamplerClient;
  readonly signal: AbortSignal;
}

/** The chain of a request with its values, and the fields that it has nothing for. Throws a `Refusal`. */
export async function prepare(choice: Choice, wanted: Wanted): Promise<Prepared & { readonly ignored: string[] }> {
  const { body } = wanted;
  const { chain, isOwn, grammar, made } = await constrainedChain(choice, wanted);
  const ignored: string[] = [];
  // who sends a sampler knows what it has
  const mayIgnore = choice.isLenient && body.sampler === undefined;
  const asked = { chain, body, ignore: mayIgnore ? (name: string) => void ignored.push(name) : undefined };
  const uniforms = made ? madeUniforms(made, asked) : uniformsFor(asked);
  if (!made) checkStages(asked);
  if (grammar) {
    const [param, ...more] = grammarsOf(chain.graph);
    if (!param || more.length > 0)
      throw new Refusal(
        "parameter_not_in_sampler",
        param
          ? `the chain \`${chain.name}\` has several grammars: give them in \`sampler_params\`, without \`${grammar.field}\``
          : `the spec of \`${chain.name}\` has no grammar parameter, which \`${grammar.field}\` needs: send a program`,
        { param: grammar.field },
      );
    set(uniforms, param.name, grammar.source, grammar.field);
  }
  const idle = made?.idle ?? [];
  return {
    chain,
    isOwn,
    uniforms,
    feed: feedFor(asked),
    seed: seedFor(asked, uniforms),
    ignored: [...idle, ...ignored],
  };
}

/** The values of the fields that a chain is made of. Throws a `Refusal` for one that `sampler_params` has, too. */
function madeUniforms({ values }: MadeChain, { body }: Asked): Record<string, UniformValues[string]> {
  const uniforms: Record<string, UniformValues[string]> = { ...body.sampler_params };
  for (const [name, value] of Object.entries(values)) set(uniforms, name, value);
  return uniforms;
}

interface ChosenChain extends Pick<Prepared, "chain" | "isOwn"> {
  /** Of the fields of the request. */
  readonly made?: MadeChain;
}

interface Chosen extends ChosenChain {
  readonly grammar: Wanted["grammar"];
}

/** The chain of a request, and its grammar, without one that may be left out if the chain has no place for it. */
async function constrainedChain(choice: Choice, wanted: Wanted): Promise<Chosen> {
  const { grammar, body } = wanted;
  if (!grammar?.mayBeLeftOut) return { ...(await chainFor(choice, wanted)), grammar };
  try {
    const chosen = await chainFor(choice, wanted);
    const [param, ...more] = grammarsOf(chosen.chain.graph);
    const isFree = param !== undefined && more.length === 0 && !Object.hasOwn(body.sampler_params ?? {}, param.name);
    if (isFree) return { ...chosen, grammar };
  } catch (error) {
    // a spec without a grammar; what else is wrong is found again
    if (!(error instanceof Refusal)) throw error;
  }
  return { ...(await chainFor(choice, { ...wanted, grammar: undefined })), grammar: undefined };
}

/** Whether the probabilities of the chain's rows are asked for. */
const readsRows = ({ post_sampling_probs: isAfter, logprobs }: CommonBody): boolean =>
  isAfter === true && logprobs !== undefined && logprobs !== false;

async function chainFor(
  { samplers, defaults, slots }: Choice,
  { body, named, grammar, client, signal }: Wanted,
): Promise<ChosenChain> {
  const constrained = grammar !== undefined;
  const { sampler: given, sampler_chain: name, id_slot: slot } = body;
  const how = { constrained, rows: readsRows(body), trace: body.trace };
  if (given !== undefined && named !== undefined && given !== named)
    throw new Refusal(
      "invalid_request",
      `\`model\` chooses the sampler \`${named}\`, and \`sampler\` another: give one`,
      {
        param: "sampler",
      },
    );
  if (given !== undefined) {
    const sampler = await samplers.get({ sampler: given, chain: name, ...how }, { client, signal });
    if (!sampler.picks) throw new Refusal("invalid_sampler", lacksPick(sampler.chainName), { param: "sampler" });
    return { chain: sampler.chain, isOwn: sampler.name !== undefined };
  }
  if (name !== undefined && named === undefined)
    throw new Refusal("invalid_request", "`sampler_chain` needs `sampler`, of which it chooses a chain", {
      param: "sampler_chain",
    });
  const own = named ?? (slot === undefined ? undefined : slots.get(slot)) ?? samplers.find(DEFAULT_NAME)?.name;
  if (own !== undefined)
    return { chain: (await samplers.get({ sampler: own, chain: name, ...how }, { signal })).chain, isOwn: true };
  const made = madeChain(body);
  if (made) {
    const { chain } = await samplers.get({ sampler: made.text, ...how }, { client, signal });
    return { chain, isOwn: false, made };
  }
  const edits = EDITS.some((field) => body[field] !== undefined && !isNeutral(field, body[field]));
  return { chain: defaults.of({ most: mostFor(body.top_k), edits, constrained }), isOwn: true };
}
