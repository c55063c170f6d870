/** Traces of texts: by models, batches, workers of drafts, the server and the command line. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chainOf, compile, compilePipeline } from "../../runtime/chain/chain.js";
import type { Piece } from "../../runtime/generation/generate.js";
import { loadModel, type Model } from "../../runtime/models/model.js";
import { ownSchema } from "../cli/schemas.js";
import { warm } from "../cli/warm/warm.js";
import { DEMO_MODEL } from "../model/file.js";
import { open, type Opened } from "../server/open.js";
import { eventsOf } from "../server/open.js";
import { expectedOf, expectStage, rowsOf } from "./expected.js";

const STAGES = "top_k(40) |> top_p(0.9) |> temp(0.8) |> dist(3)";
const NAMES = ["model", ...STAGES.split(" |> ")];
const PROMPT = "In the beginning";
const folder = mkdtempSync(join(tmpdir(), "ggsl-trace-"));
const ggsl = warm();
let model: Model;
let server: Opened;
beforeAll(async () => {
  model = await loadModel(DEMO_MODEL, { backend: "cpu", contextSize: 256 });
  server = await open();
});
afterAll(async () => {
  model.dispose();
  await server.close();
  rmSync(folder, { recursive: true });
});

async function piecesOf(pieces: AsyncIterable<Piece>): Promise<Piece[]> {
  const found: Piece[] = [];
  for await (const piece of pieces) found.push(piece);
  return found;
}

/** What a trace must be, by the logits of the model alone. */
async function expectTrace(tokens: readonly number[], at: number, trace: NonNullable<Piece["trace"]>): Promise<void> {
  expect(trace.map(({ stage }) => stage)).toEqual(NAMES);
  const prompt = [...model.tokenize(PROMPT), ...tokens.slice(0, at)];
  const logits = await model.logits(Int32Array.from(prompt));
  const token = tokens[at]!;
  const rows = rowsOf(logits).sort((a, b) => b.logit - a.logit);
  const best = rows.slice(0, 40);
  let mass = 0;
  const total = best.reduce((sum, { logit }) => sum + Math.exp(logit), 0);
  const nucleus = best.filter(({ logit }) => {
    const before = mass;
    mass += Math.exp(logit) / total;
    return before < 0.9;
  });
  const cold = nucleus.map((row) => ({ ...row, logit: row.logit / 0.8 }));
  [rows, best, nucleus, cold, cold].forEach((left, i) => {
    const { rows: count, entropy, rank, probability } = expectedOf(left, token);
    const found = trace[i]!;
    expect([found.rows, found.rank]).toEqual([count, rank]);
    // a prompt that is read at once has other last digits than token by token
    expect(Math.abs(found.entropy - entropy)).toBeLessThan(0.03);
    expect(Math.abs(found.probability - probability)).toBeLessThan(0.02);
  });
}

test("a text has its trace and is the same as without, alone, in a batch, and with drafts", async () => {
  const chain = compilePipeline(STAGES);
  const plain = await piecesOf(model.generate(PROMPT, { chain, maxTokens: 24 }));
  const tokens = plain.map(({ token }) => token);
  expect(plain.every(({ trace }) => trace === undefined)).toBe(true);
  const traced = await piecesOf(model.generate(PROMPT, { chain, maxTokens: 24, trace: true }));
  expect(traced.map(({ token }) => token)).toEqual(tokens);
  for (const at of [0, 1, 5]) await expectTrace(tokens, at, traced[at]!.trace!);
  using batch = model.batch({ sequences: 2, contextSize: 128 });
  const drafted = { chain, maxTokens: 24, trace: true, speculate: { ngram: {} } };
  const [one, other] = await Promise.all([
    piecesOf(batch.add(PROMPT, { chain, maxTokens: 24, trace: true })),
    piecesOf(batch.add(PROMPT, drafted)),
  ]);
  for (const found of [one, other]) {
    expect(found.map(({ token }) => token)).toEqual(tokens);
    found.forEach(({ trace = [] }, i) =>
      trace.forEach((stage, n) => {
        const { rows, rank, entropy, probability } = traced[i]!.trace![n]!;
        expect([stage.rows, stage.rank]).toEqual([rows, rank]);
        expectStage(stage, { rows, rank, entropy, probability });
      }),
    );
  }
});

test("a text that the chain writes has no trace, and the tokens beside it have", async () => {
  const source = `import { top_k, dist } from "std"
sampler said() { write " Amen" when step == 2 }
chain c() = said() |> top_k(5) |> dist(1)`;
  const pieces = await piecesOf(model.generate(PROMPT, { chain: compile(source), maxTokens: 6, trace: true }));
  const [first, second, ...rest] = pieces.map(({ trace }) => trace !== undefined);
  expect([first, second, rest[0], rest.at(-1)]).toEqual([true, true, false, true]);
});

test("a chain that cannot be traced is refused when the text begins", () => {
  const ask = (chain: ReturnType<typeof compilePipeline>): unknown => model.generate(PROMPT, { chain, trace: true });
  expect(() => ask(compilePipeline("top_k(3) |> host dist(1)"))).toThrow("error[E0901]");
  expect(() => ask(chainOf(compilePipeline("dist(1)").graph))).toThrow("is a compiled graph without a trace");
});

test("requests to a server: completions, chats and events", async () => {
  const body = { prompt: PROMPT, max_tokens: 4, sampler: STAGES, trace: true };
  const { body: answer } = await server.post("/v1/completions", body);
  const [choice] = answer["choices"] as { trace: NonNullable<Piece["trace"]>[] }[];
  expect(choice!.trace).toHaveLength(4);
  expect(choice!.trace[0]!.map(({ stage }) => stage)).toEqual(NAMES);
  const again = await server.post("/v1/completions", { ...body, trace: false });
  expect(Object.keys((again.body["choices"] as object[])[0]!)).not.toContain("trace");
  const chat = { messages: [{ role: "user", content: "Amen" }], max_tokens: 3, seed: 1, temperature: 0.8, trace: true };
  const template = "{% for message in messages %}{{ message.content }}{% endfor %}";
  const talking = await open({ template });
  try {
    const { body: said } = await talking.post("/v1/chat/completions", chat);
    const [spoken] = said["choices"] as { trace: NonNullable<Piece["trace"]>[] }[];
    expect(spoken!.trace[0]!.map(({ stage }) => stage)[0]).toBe("model");
    expect(spoken!.trace[0]!.at(-1)!.stage).toMatch(/^dist/);
  } finally {
    await talking.close();
  }
  const stream = await fetch(`${server.url}/v1/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...body, stream: true }),
  });
  const [first] = eventsOf(await stream.text()) as { choices: { trace: Piece["trace"] }[] }[];
  expect(first!.choices[0]!.trace).toEqual(choice!.trace[0]);
});

test.each([
  ["a host stage", { sampler: "top_k(3) |> host dist(1)" }, "`dist` runs on the host"],
  ["a graph without a trace", { sampler: "SPEC" }, "it has no trace, which the request asks for"],
])("a server refuses to trace %s", async (_, fields, message) => {
  const { writeSpec } = await import("../../compiler/graph/json.js");
  const sampler = fields.sampler === "SPEC" ? writeSpec(compilePipeline("dist(1)").graph) : fields.sampler;
  const { status, body } = await server.post("/v1/completions", { prompt: PROMPT, sampler, trace: true });
  expect([status, body.error?.["message"]]).toEqual([400, expect.stringContaining(message)]);
});

test("a server with a policy shows no trace", async () => {
  const policy = join(folder, "policy.ggsl");
  writeFileSync(policy, "sampler no_e() { keep token not in tokens(/e/) }\nchain before = no_e()\n");
  const ruled = await open({ policy });
  try {
    for (const sampler of [undefined, STAGES]) {
      const { status, body } = await ruled.post("/v1/completions", { prompt: PROMPT, sampler, trace: true });
      expect([status, body.error]).toMatchObject([400, { param: "trace", code: "unsupported_parameter" }]);
    }
  } finally {
    await ruled.close();
  }
});

test("the command line writes a trace of a public form, and shows it as a table and as a page", () => {
  const file = join(folder, "trace.json");
  const run = [
    "run",
    "-e",
    STAGES,
    "--prompt",
    PROMPT,
    "-n",
    "6",
    "--backend",
    "cpu",
    "--sequences",
    "2",
    "--trace",
    file,
  ];
  const { status, stderr } = ggsl(run);
  expect([status, stderr]).toEqual([0, ""]);
  const trace = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  expect(ownSchema("trace")(trace)).toEqual([]);
  expect(trace).toMatchObject({ prompt: PROMPT, stages: NAMES, texts: [{ length: 6 }, { length: 6 }] });
  const table = ggsl(["trace", file]).stdout;
  expect(table.split("\n")[0]!.trim().split(/ {2,}/)).toEqual(["token", ...NAMES]);
  expect(table).toMatch(/0\.\d{4} #1\/2048/);
  const page = ggsl(["trace", file, "--html"]).stdout;
  expect(page).toContain("<code>top_p(0.9)</code>");
  expect(page).toMatch(/rank \d+ of 2048/);
  expect(page).not.toContain("<script");
});

test.each<[string, string, string]>([
  ["no JSON", "{", "is not JSON"],
  ["another file", "{}", "is no trace: it has no `format` of a trace"],
  ["a later version", '{"format":"ggsl-trace","version":2}', "it is of version 2, and this release reads version 1"],
  [
    "columns of another length",
    JSON.stringify({
      format: "ggsl-trace",
      version: 1,
      model: "m",
      prompt: "",
      stages: ["model", "dist()"],
      texts: [[{ token: 1, text: "a", rows: [1], entropy: [0], rank: [1], probability: [1] }]],
    }),
    "`texts[0][0]` is no token with a number for each stage",
  ],
])("`ggsl trace` refuses %s", (name, text, message) => {
  const path = join(folder, `${name.replaceAll(" ", "-")}.json`);
  writeFileSync(path, text);
  const { status, stderr } = ggsl(["trace", path]);
  expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
});
