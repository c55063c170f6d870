/** `ggsl conform` against servers of this project: one that samples as it says, and four with a fault each. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { conformanceOf, type Conformance } from "../../cli/conform/conformance.js";
import { Server } from "../../cli/conform/server.js";
import { InputError } from "../../runtime/core/errors.js";
import { compile } from "../../runtime/chain/chain.js";
import { endAll, start } from "../cli/run.js";
import { open, type Opened } from "../server/open.js";

const RIGHT = `import { top_k, top_p, min_p, temp, dist } from "std"
chain c() = top_k(20) |> top_p(0.9) |> min_p(0.1) |> temp(0.8) |> dist()
`;
const program = (stages: string, more = ""): string =>
  `import { top_k, top_p, min_p, temp, dist } from "std"\n${more}chain c() = ${stages}\n`;
const FAULTS: Readonly<Record<string, string>> = {
  "top_p keeps a token too few": program(
    "top_k(20) |> fewer(0.9) |> min_p(0.1) |> temp(0.8) |> dist()",
    "sampler fewer(p: f32) {\n  sort\n  keep cumsum(prob) < p at least 1\n}\n",
  ),
  "the temperature comes first": program("top_k(20) |> temp(0.8) |> top_p(0.9) |> min_p(0.1) |> dist()"),
  "min_p is missing": program("top_k(20) |> top_p(0.9) |> temp(0.8) |> dist()"),
  "the draw favours the likeliest token": program(
    "top_k(20) |> top_p(0.9) |> min_p(0.1) |> temp(0.8) |> biased()",
    "sampler biased(seed: seed = random) {\n  logit += logit == max(logit) ? 0.4 : 0\n  pick sample(seed)\n}\n",
  ),
};

let server: Opened;
const folder = mkdtempSync(join(tmpdir(), "ggsl-conform-"));
const file = join(folder, "right.ggsl");
beforeAll(async () => {
  writeFileSync(file, RIGHT);
  server = await open({ sequences: 32, contextSize: 64, samplers: [{ name: "right", file }] });
});
afterAll(async () => {
  endAll();
  await server.close();
  rmSync(folder, { recursive: true });
});

const PROMPTS = ["And it came to pass that", "There was once a", "On the first day of the", "In the beginning"];
const { signal } = new AbortController();

function conformance(fields: Readonly<Record<string, unknown>>, samples: number, seed: number): Promise<Conformance> {
  return conformanceOf({
    graph: compile(RIGHT).rowsGraph,
    server: new Server({ url: new URL(server.url), fields, logprobs: 20, signal }),
    prompts: PROMPTS,
    samples,
    atOnce: { texts: 16, requests: 3 },
    level: 0.001,
    seed,
    onProgress: () => undefined,
    signal,
  });
}

test.each([1, 2, 3])("a server that samples as the chain says conforms, with seed %d", async (seed) => {
  const found = await conformance({ sampler: "right" }, 1200, seed * 1e8);
  expect(found.conforms).toBe(true);
  expect(found.prompts.map(({ samples }) => samples)).toEqual([300, 300, 300, 300]);
  expect(found.prompts.every(({ kept, degrees }) => kept > 1 && degrees > 0)).toBe(true);
});

test.each(Object.entries(FAULTS))("it is found that %s", async (_, sampler) => {
  const found = await conformance({ sampler }, 3000, 5);
  expect(found.conforms).toBe(false);
});

test("the command: a verdict with numbers, as text and JSON, and its exit status", async () => {
  const args = ["conform", "--against", server.url, "--sampler", file, "--samples", "400"];
  const prompts = ["--prompt", PROMPTS[2]!, "--prompt", PROMPTS[3]!];
  const right = start([...args, ...prompts, "--field", "sampler=right", "--json"]);
  expect((await right.ended).status).toBe(0);
  expect(JSON.parse(right.output())).toMatchObject({
    conforms: true,
    level: 0.01,
    samples: 400,
    prompts: [{ prompt: PROMPTS[2], samples: 200 }, { prompt: PROMPTS[3] }],
    leftOut: [],
  });
  const wrong = start([...args, ...prompts, "--field", `sampler=${FAULTS["min_p is missing"]!}`]);
  expect((await wrong.ended).status).toBe(1);
  expect(wrong.output()).toMatch(
    /the server does not sample as the chain says: p \S+ of 400 tokens, at level 0.01\nafter "/,
  );
  expect(wrong.output()).toMatch(/: \d+ times, expected 0\.0/);
});

const errorOf = async (work: Promise<unknown>): Promise<InputError> => {
  const error = await work.then(
    () => undefined,
    (fault: unknown) => fault,
  );
  if (error instanceof InputError) return error;
  throw new Error(`expected an InputError, found ${String(error)}`);
};

test("a chain that keeps more than the server lists", async () => {
  const work = conformanceOf({
    graph: compile(program("temp(0.8) |> dist()")).rowsGraph,
    server: new Server({ url: new URL(server.url), fields: {}, logprobs: 20, signal }),
    prompts: PROMPTS,
    samples: 100,
    atOnce: { texts: 1, requests: 1 },
    level: 0.01,
    seed: 1,
    onProgress: () => undefined,
    signal,
  });
  const error = await errorOf(work);
  expect([error.code, error.message]).toEqual(["NO_LOGPROBS", expect.stringContaining("list more with `--logprobs`")]);
});

test("a field that the server refuses", async () => {
  const error = await errorOf(conformance({ top_p: 7 }, 100, 1));
  expect([error.code, error.message]).toEqual(["UNEXPECTED_ANSWER", expect.stringMatching(/status 400: .*top_p/)]);
});

/** Answers that no server of this project gives. */
async function answering(body: unknown, work: (url: URL) => Promise<void>): Promise<void> {
  const other = http.createServer((_, answer) => answer.end(typeof body === "string" ? body : JSON.stringify(body)));
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  try {
    await work(new URL(`http://127.0.0.1:${(other.address() as AddressInfo).port}/v1`));
  } finally {
    other.closeAllConnections();
    other.close();
  }
}
const ask = (url: URL): Server => new Server({ url, fields: {}, logprobs: 20, signal });

test("the form of llama.cpp's server: tokens with their ids", async () => {
  const entry = (id: number, logprob: number): object => ({ id, token: "\ufffd", bytes: [200 + id], logprob });
  const content = [{ ...entry(7, -0.5), top_logprobs: [entry(7, -0.5), entry(9, -1.5)] }];
  await answering({ choices: [{ text: "", finish_reason: "length", logprobs: { content } }] }, async (url) => {
    expect(await ask(url).likeliest("a")).toEqual([
      { name: "#7 \ufffd", logprob: -0.5 },
      { name: "#9 \ufffd", logprob: -1.5 },
    ]);
    expect(await ask(url).pick("a", 1, 4)).toEqual(["#7 \ufffd"]);
  });
});

test.each<[string, unknown, string, string]>([
  [
    "no log-probabilities",
    { choices: [{ text: "a", finish_reason: "length", logprobs: null }] },
    "NO_LOGPROBS",
    "gives no log-probabilities",
  ],
  ["another form", { message: { content: "a" } }, "UNEXPECTED_ANSWER", "does not answer as OpenAI's API"],
  ["a page", "<html></html>", "UNEXPECTED_ANSWER", "<html></html>"],
])("a server that answers with %s", async (_, body, code, message) => {
  await answering(body, async (url) => {
    const error = await errorOf(ask(url).likeliest("a"));
    expect([error.code, error.message]).toEqual([code, expect.stringContaining(message)]);
  });
});

test("a server that is not there", async () => {
  const error = await errorOf(ask(new URL("http://127.0.0.1:9")).likeliest("a"));
  expect([error.code, error.message]).toEqual(["SERVER_UNAVAILABLE", expect.stringContaining("does not answer")]);
});

test("a test that is cancelled ends", async () => {
  const controller = new AbortController();
  const cancelled = conformanceOf({
    graph: compile(RIGHT).rowsGraph,
    server: new Server({ url: new URL(server.url), fields: {}, logprobs: 20, signal: controller.signal }),
    prompts: PROMPTS,
    samples: 1e6,
    atOnce: { texts: 4, requests: 2 },
    level: 0.01,
    seed: 1,
    onProgress: (share) => share > 0 && controller.abort(),
    signal: controller.signal,
  });
  await expect(cancelled).rejects.toThrow(/abort/i);
});

test("a server that hangs up, or is busy, after its first answer is asked again", async () => {
  const choices = [{ text: "a", finish_reason: "length", logprobs: { tokens: ["a"], top_logprobs: [{ a: -0.1 }] } }];
  let asked = 0;
  const other = http.createServer((request, answer) => {
    asked++;
    if (asked === 2) return void request.socket.destroy();
    answer.statusCode = asked === 3 ? 503 : 200;
    answer.end(JSON.stringify({ choices }));
  });
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  try {
    const asking = ask(new URL(`http://127.0.0.1:${(other.address() as AddressInfo).port}`));
    expect(await asking.likeliest("a")).toEqual([{ name: "a", logprob: -0.1 }]);
    expect(await asking.pick("a", 1, 1)).toEqual(["a"]);
    expect(asked).toBe(4);
  } finally {
    other.closeAllConnections();
    other.close();
  }
});
