/** Log-probabilities of the distribution that the chain draws from. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { toSpec } from "../../compiler/graph/json.js";
import { compile } from "../../runtime/chain/chain.js";
import { open, type Opened } from "./open.js";

const TEMPLATE = "{% for m in messages %}{{ m.content }}{% endfor %}";
let server: Opened;
beforeAll(async () => {
  server = await open({ template: TEMPLATE });
});
afterAll(() => server.close(0));

interface Logprobs {
  readonly tokens: string[];
  readonly token_logprobs: number[];
  readonly top_logprobs: Record<string, number>[];
}
async function logprobs(fields: object): Promise<Logprobs> {
  const { body } = await server.post("/v1/completions", {
    ...{ prompt: "In the beginning", max_tokens: 6, seed: 3, logprobs: 20 },
    ...fields,
  });
  expect(body.error).toBeUndefined();
  return (body["choices"] as { logprobs: Logprobs }[])[0]!.logprobs;
}
const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** The model's own probabilities, cut and divided by an independent rule. */
test.each([
  ["top_k 3", { top_k: 3 }, (probs: number[]) => probs.slice(0, 3)],
  [
    "temperature 0.5 and top_k 5",
    { top_k: 5, temperature: 0.5 },
    (probs: number[]) => probs.slice(0, 5).map((p) => p * p),
  ],
  ["min_p 0.2", { min_p: 0.2 }, (probs: number[]) => probs.filter((p) => p >= 0.2 * probs[0]!)],
  ["a sampler of the request", { sampler: "top_k(4) |> dist()" }, (probs: number[]) => probs.slice(0, 4)],
])("of %s", async (_, fields, expected) => {
  const [own, after] = [await logprobs(fields), await logprobs({ ...fields, post_sampling_probs: true })];
  expect(after.tokens).toEqual(own.tokens);
  for (const [i, top] of after.top_logprobs.entries()) {
    const kept = expected(Object.values(own.top_logprobs[i]!).map(Math.exp));
    const probs = Object.values(top).map(Math.exp);
    expect(probs.length).toBe(kept.length);
    expect(sum(probs)).toBeCloseTo(1, 4);
    for (const [at, p] of probs.entries()) expect(p).toBeCloseTo(kept[at]! / sum(kept), 4);
    expect(after.token_logprobs[i]).toBeCloseTo(top[after.tokens[i]!]!, 6);
    expect(Object.keys(top)).toEqual(Object.keys(own.top_logprobs[i]!).slice(0, kept.length));
  }
});

test("of the picked token alone; of samplers of the server, of fields, and of specs with rows", async () => {
  for (const fields of [{ top_k: 2 }, { typical_p: 0.4 }, { sampler: "top_k(2) |> dist()" }]) {
    const asked = { ...fields, post_sampling_probs: true };
    const [alone, one] = [await logprobs({ ...asked, logprobs: 0 }), await logprobs({ ...asked, logprobs: 20 })];
    expect(alone.token_logprobs).toEqual(one.token_logprobs);
    expect(alone.top_logprobs.every((top) => Object.keys(top).length === 0)).toBe(true);
  }
  const source = 'import { top_k, dist } from "std"\nchain c() = top_k(2) |> dist()';
  const sampler = toSpec(compile(source).rowsGraph);
  expect(Object.keys((await logprobs({ sampler, post_sampling_probs: true })).top_logprobs[0]!).length).toBe(2);
  const without = toSpec(compile(source).graph);
  const { body } = await server.post("/v1/completions", {
    prompt: "a",
    sampler: without,
    logprobs: 1,
    post_sampling_probs: true,
  });
  expect(body.error).toMatchObject({ param: "sampler", code: "invalid_sampler" });
  expect(body.error!["message"]).toMatch("its outputs have no probabilities");
});

test("of a text that is picked without chance, and of a grammar", async () => {
  const sure = await logprobs({ temperature: 0, post_sampling_probs: true });
  expect(sure.token_logprobs.every((one) => Math.abs(one) < 1e-6)).toBe(true);
  const { top_logprobs } = await logprobs({ grammar: 'root ::= "a" | "b"', max_tokens: 1, post_sampling_probs: true });
  expect(Object.keys(top_logprobs[0]!).sort()).toEqual(["a", "b"]);
});

test("of chats, as the openai client sends it, and of llama-server's n_probs", async () => {
  const asked = {
    model: "demo",
    messages: [{ role: "user" as const, content: "In the beginning" }],
    max_completion_tokens: 3,
    seed: 1,
  };
  const ours = { top_k: 2, post_sampling_probs: true };
  const { choices } = await server.client.chat.completions.create({
    ...asked,
    ...ours,
    logprobs: true,
    top_logprobs: 5,
  });
  const content = choices[0]!.logprobs!.content!;
  for (const { top_logprobs: top } of content) {
    expect(top.length).toBe(2);
    expect(sum(top.map(({ logprob }) => Math.exp(logprob)))).toBeCloseTo(1, 4);
  }
  const other = await server.post("/v1/chat/completions", { ...asked, ...ours, n_probs: 5 });
  expect((other.body["choices"] as { logprobs: object }[])[0]!.logprobs).toEqual(choices[0]!.logprobs);
  // without log-probabilities it asks for nothing
  const none = await server.post("/v1/chat/completions", { ...asked, ...ours });
  expect((none.body["choices"] as { logprobs: object | null }[])[0]!.logprobs).toBe(null);
});
