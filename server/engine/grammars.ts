/** The grammars of a request: they are prepared before it waits for a place, in turns of its lane. */
import type { Chain } from "ggsl/chain/chain.js";
import { enforceable as enforceableOf } from "ggsl/chat/calls/enforceable.js";
import { InputError } from "ggsl/core/errors.js";
import { kindOf } from "ggsl/grammars/kinds.js";
import type { GrammarSource } from "ggsl/grammars/types.js";
import { grammarsOf } from "@ggsl/compiler/graph/grammars.js";
import { refusalFor } from "../faults.js";
import { Refusal } from "../refusal.js";
import type { Waiter } from "../lanes/lane.js";
import type { AskedGrammar } from "../request/grammars.js";
import type { Engine } from "./engine.js";
import type { Prepared } from "./parameters.js";

/**
 * Reads and prepares all grammars that a chain asks. Throws a `Refusal` that names the field of one that is not right.
 * @param asked what a field beside the sampler asks for
 */
export async function prepareGrammars(
  { model }: Engine,
  prepared: Pick<Prepared, "chain" | "uniforms">,
  asked: AskedGrammar | undefined,
  client: Waiter,
): Promise<void> {
  const prepare = async ({ source, field }: AskedGrammar): Promise<void> => {
    try {
      kindOf(source);
      await model.prepareGrammar(source, client);
    } catch (error) {
      client.signal.throwIfAborted();
      throw refusalFor(error, field);
    }
  };
  for (const grammar of usedBy(prepared, asked))
    await prepare(grammar).catch(async (error: unknown) => {
      for (const { name, ...part } of grammar.parts ?? [])
        await prepare(part).catch((ofPart: unknown) => {
          throw ofPart instanceof Refusal ? named(name, ofPart) : ofPart;
        });
      throw error;
    });
}

/**
 * A grammar as far as it can be enforced, if a text need not obey all of it; others as they are. Throws a `Refusal` for what is wrong
 * beside the grammar, as a queue that is full.
 */
export async function enforceable(
  { model }: Engine,
  asked: AskedGrammar | undefined,
  client: Waiter,
): Promise<AskedGrammar | undefined> {
  if (!asked) return undefined;
  return enforceableOf(asked, async ({ source, field }) => {
    try {
      await model.prepareGrammar(source, client);
      return true;
    } catch (error) {
      client.signal.throwIfAborted();
      if (error instanceof InputError && error.code !== "BUSY") return false;
      throw refusalFor(error, field);
    }
  });
}

const named = (name: string, { reason, message, param }: Refusal): Refusal =>
  new Refusal(reason, `${name}: ${message}`, param === undefined ? {} : { param });

/** The grammars that features of a chain ask, and the fields that they come from. One that is absent is refused with the text. */
function usedBy(
  { chain, uniforms }: Pick<Prepared, "chain" | "uniforms">,
  asked: AskedGrammar | undefined,
): AskedGrammar[] {
  const standards = new Map(grammarsOf(chain.graph).map(({ name, default: standard }) => [name, standard]));
  const used = new Map<string, AskedGrammar>();
  const inProgram = (gbnf: string): AskedGrammar => ({ source: { gbnf }, field: "sampler" });
  for (const grammar of grammarsIn(chain)) {
    if (typeof grammar === "string") {
      used.set(` ${grammar}`, inProgram(grammar));
      continue;
    }
    const source = uniforms[grammar.param] as GrammarSource | undefined;
    const standard = standards.get(grammar.param);
    if (source && source === asked?.source) used.set(grammar.param, asked);
    else if (source !== undefined) used.set(grammar.param, { source, field: `sampler_params.${grammar.param}` });
    else if (standard !== undefined) used.set(grammar.param, inProgram(standard));
  }
  return [...used.values()];
}

const grammarsIn = ({ graph: { features } }: Chain) =>
  features.flatMap(({ from }) => (from.kind === "allowed" ? [from.grammar] : []));
