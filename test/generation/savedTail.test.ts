/** A text with a host tail goes on as it would have, after it was saved: whatever its stages remember. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { compile, compilePipeline, type Model } from "../../runtime/index.js";
import type { SavedSequence } from "../../runtime/sequence/savedSequence.js";
import type { GenerateOptions } from "../../runtime/generation/generate.js";
import { endless, loadExactModel } from "../model/file.js";
import { rest, take } from "../model/reading.js";

const PROMPT = "In the beginning God created";
let model: Model;
beforeAll(async () => {
  model = await loadExactModel({ backend: "cpu", contextSize: 256 });
});
afterAll(() => model.dispose());

const GRAMMAR = JSON.stringify('root ::= ([a-z ]+ "1"?)+');
const TAILS: Readonly<Record<string, string>> = {
  dist: "top_k(40) |> host dist(seed: 7)",
  "a random seed": "top_k(40) |> host dist()",
  "rows that become one": "top_k(40) |> host top_p(0.3) |> host dist(seed: 7)",
  xtc: "top_k(40) |> host xtc(p: 0.5, t: 0.05, seed: 3) |> host top_p(0.5) |> host dist(seed: 4)",
  mirostat: "host mirostat(tau: 4, eta: 0.3, seed: 9)",
  mirostat_v2: "top_k(100) |> host temp(0.8) |> host mirostat_v2(tau: 4, eta: 0.3, seed: 9)",
  adaptive_p: "top_k(40) |> host adaptive_p(target: 0.4, decay: 0.9, seed: 5)",
  penalties: "top_k(40) |> host penalties(32, 1.2, 0.1, 0) |> host dist(seed: 11)",
  dry: "top_k(40) |> host dry(multiplier: 2, allowed_length: 1, last_n: 64) |> host dist(seed: 11)",
  grammar: `host grammar(text: ${GRAMMAR}) |> host dist(seed: 6)`,
  greedy: "host penalties(32, 1.2, 0.1, 0) |> host greedy()",
};

const json = (saved: SavedSequence): SavedSequence => JSON.parse(JSON.stringify(saved)) as SavedSequence;
const tokensOf = (pieces: readonly { readonly token: number }[]): number[] => pieces.map(({ token }) => token);

describe.each(Object.entries(TAILS))("%s", (_, stages) => {
  const options = (more: Partial<GenerateOptions> = {}): GenerateOptions => ({
    chain: compile(`import { top_k, logit_bias } from "std"\nchain c = logit_bias() |> ${stages}`),
    maxTokens: 40,
    ...endless(model),
    ...more,
  });

  test("saved, resumed, saved again, copied and taken back", async () => {
    const generation = model.generate(PROMPT, options());
    const first = tokensOf(await take(generation, 15));
    const saved = generation.save();
    const wanted = tokensOf(await rest(generation));
    const later = options({ resume: json(saved.sequence), maxTokens: wanted.length });
    const resumed = model.generate(saved.tokens, later);
    expect(tokensOf(await take(resumed, 8))).toEqual(wanted.slice(0, 8));
    const again = resumed.save();
    expect([...again.tokens]).toEqual([...saved.tokens, ...wanted.slice(0, 8)]);
    resumed.rewind(5);
    expect(tokensOf(await rest(resumed))).toEqual(wanted.slice(3));
    // two copies beside each other, of the second place
    using batch = model.batch({ sequences: 2, contextSize: 128 });
    const copy = options({ resume: json(again.sequence), maxTokens: wanted.length - 8 });
    const copies = [batch.add(again.tokens, copy), batch.add(again.tokens, copy)];
    for (const pieces of await Promise.all(copies.map(rest))) expect(tokensOf(pieces)).toEqual(wanted.slice(8));
    // what is saved after the end, with tokens taken back
    generation.rewind(wanted.length);
    const end = generation.save();
    expect([...end.tokens].slice(-first.length)).toEqual(first);
    expect(tokensOf(await rest(model.generate(end.tokens, { ...later, resume: json(end.sequence) })))).toEqual(wanted);
    // before the first piece
    const unbegun = model.generate(PROMPT, options());
    const { sequence } = unbegun.save();
    const whole = tokensOf(await rest(unbegun));
    expect(tokensOf(await rest(model.generate(PROMPT, options({ resume: json(sequence) }))))).toEqual(whole);
  });
});

test("a seed that is a parameter has the value that the tail began with", async () => {
  const chain = compile(
    'import { top_k, logit_bias } from "std"\nchain c(s: seed = 1) = logit_bias() |> top_k(40) |> host temp(0.8) |> host dist(s)',
  );
  const options = { chain, maxTokens: 30, uniforms: { s: 5 }, ...endless(model) };
  const generation = model.generate(PROMPT, options);
  await take(generation, 10);
  expect(() => generation.setUniforms({ s: 9 })).toThrow(
    "`s` cannot change in the middle of a text: `host dist` keeps the value that it began with, 5",
  );
  generation.setUniforms({ s: 5 });
  const { tokens, sequence } = generation.save();
  const wanted = tokensOf(await rest(generation));
  expect(sequence.tail).toEqual({ values: [{}, { seed: 5 }] });
  const resumed = model.generate(tokens, { ...options, maxTokens: 20, resume: json(sequence) });
  expect(tokensOf(await rest(resumed))).toEqual(wanted);
});

test("what is not of the chain, or not whole, is refused", async () => {
  const chain = compilePipeline("top_k(40) |> host mirostat_v2(3, 0.1, 5)");
  const generation = model.generate(PROMPT, { chain, maxTokens: 4 });
  await rest(generation);
  const { tokens, sequence } = generation.save();
  const open = (resume: unknown) => rest(model.generate(tokens, { chain, resume: resume as SavedSequence }));
  const { tail, ...without } = sequence;
  for (const other of [
    without,
    { ...sequence, tail: { values: [] } },
    { ...sequence, tail: { values: tail!.values } },
    { ...sequence, tail: { ...tail, values: [{ tau: 3 }] } },
    { ...sequence, tail: { ...tail, rows: tail!.rows!.slice(1) } },
    { ...sequence, tail: { ...tail, rows: tail!.rows!.map(() => "?") } },
    { ...sequence, tail: { ...tail, rows: tail!.rows!.map(() => "") } },
    { ...sequence, tail: { ...tail, rows: tail!.rows!.map(() => btoa("\xff".repeat(8))) } },
  ])
    await expect(async () => open(other)).rejects.toMatchObject({ name: "InputError" });
  const short = async () => rest(model.generate(tokens.subarray(0, 2), { chain, resume: sequence }));
  await expect(short).rejects.toThrow("give the saved tokens as the prompt");
});
