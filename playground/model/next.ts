/** What the model would say next. */
import { readSpec } from "../../compiler/graph/json.js";
import { chainOf } from "../../runtime/chain.js";
import { InputError } from "../../runtime/errors.js";
import type { SpecRequest } from "../engine/messages.js";
import { openModel } from "./model.js";

/** As many as the worker tells. */
export const LIKELIEST = 100;

export interface NextToken {
  /** For the whole vocabulary; -inf but for the likeliest tokens. */
  readonly logits: Float32Array;
  /** Of the likeliest tokens. */
  readonly texts: ReadonlyMap<number, string>;
}

/** Logits of the likeliest tokens after a prompt. `specOf` compiles. Rejects with `InputError`. */
export async function nextToken(prompt: string, specOf: (request: SpecRequest) => Promise<string>): Promise<NextToken> {
  const spec = await specOf({ kind: "stages", stages: "dist(1)", seed: 1 });
  const { worker, info } = await openModel();
  const chain = chainOf(readSpec(spec));
  const generation = worker.generate(prompt, { chain, maxTokens: 1, alternatives: LIKELIEST });
  for await (const { alternatives = [] } of generation) {
    const logits = new Float32Array(info.vocabSize).fill(-Infinity);
    for (const { token, probability } of alternatives) logits[token] = Math.log(probability);
    return { logits, texts: new Map(alternatives.map(({ token, text }) => [token, text])) };
  }
  throw new InputError("the model ends the text here, so there is no next token");
}
