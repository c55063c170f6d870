/** `ggsl run` as a user runs it. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { warm } from "../cli/warm/warm.js";
import { compilePipeline } from "../../runtime/index.js";
import type { GenerationStats } from "../../runtime/generation/generate.js";
import { loadModel, type Model } from "../../runtime/models/model.js";
import { bansEnd, expectSameText, picksNearOf } from "../model/ties.js";
import { DEMO_MODEL, EXACT, writeExactModel } from "../model/demo.js";

const ggsl = warm();

const PROMPT = "In the beginning";

let folder: string;
let exactModel: string;
let model: Model;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-run-"));
  exactModel = writeExactModel(folder);
  model = await loadModel(exactModel, EXACT);
});
afterAll(() => {
  model.dispose();
  rmSync(folder, { recursive: true });
});

/** A text that does not end before it has as many tokens as were asked for. */
function program(stages: string, imports: string): string {
  const path = join(folder, "endless.ggsl");
  const endless = `sampler endless() { keep token != ${model.info.eos} }`;
  writeFileSync(path, `import { ${imports} } from "std"\n${endless}\nchain c = endless() |> ${stages}\n`);
  return path;
}

interface Written {
  readonly text: string;
  readonly tokens: number[];
  readonly stats: GenerationStats;
}

test("text, tokens and stats", () => {
  const stages = "top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(42)";
  const chain = program(stages, "top_k, top_p, min_p, temp, dist");
  const args = ["run", chain, "--model", DEMO_MODEL, "-n", "64", "--stats"];
  const { status, stdout } = ggsl([...args, "--json"]);
  const { text, tokens, stats } = JSON.parse(stdout) as Written;
  expect(status).toBe(0);
  expect(tokens).toHaveLength(64);
  const printed = ggsl(args);
  expect(printed.stdout).toBe(`${PROMPT}${text}\n`);
  expect(printed.stderr).toMatch(/^on cpu \| \d+ nodes.*\n.*\n.*64 tokens, ended by maxTokens$/m);
  expect(stats.readbackBytes).toBe(4);
  expect(stats.graphBuilds).toBeLessThanOrEqual(3);
});

test("stop texts, the fewest tokens, and log-probabilities", () => {
  const args = ["run", "-e", "greedy()", "--backend", "cpu", "-c", "256"];
  const json = (...more: readonly string[]) =>
    JSON.parse(ggsl([...args, "--json", ...more]).stdout) as Written & {
      readonly logprobs: { readonly logprob: number; readonly logprobs: { token: number; logprob: number }[] }[];
    };
  const whole = json("-n", "20");
  const stop = whole.text.slice(9, 14);
  const stopped = json("-n", "20", "--stop", "never", "--stop", stop, "--logprobs", "2");
  expect(stopped.text).toBe(whole.text.slice(0, whole.text.indexOf(stop)));
  expect(stopped.stats).toMatchObject({ finish: "stop", stopText: stop });
  expect(stopped.logprobs).toHaveLength(stopped.tokens.length);
  stopped.logprobs.forEach(({ logprob, logprobs }, i) => {
    // what greedy() picks is the likeliest
    expect(logprobs[0]).toEqual({ token: stopped.tokens[i], logprob });
    expect(logprobs[1]!.logprob).toBeLessThanOrEqual(logprob);
  });
  const printed = ggsl([...args, "-n", "20", "--stop", stop, "--stats", "--lookup"]);
  expect(printed.stdout).toBe(`${PROMPT}${stopped.text}\n`);
  expect(printed.stderr).toMatch(/^\d+ of \d+ drafted tokens accepted \| \d\.\d\d decodes per token \|/m);
  expect(printed.stderr).toContain(`ended by stop ${JSON.stringify(stop)}`);
  expect(json("-n", "200", "--ignore-eos").tokens).toHaveLength(200);
  expect(json("-n", "200", "--min-tokens", "200").tokens).toHaveLength(200);
  for (const [wrong, message] of [
    [["--min-tokens", "-1"], "Expected an integer of 0 or more"],
    [["--min-tokens", "9", "-n", "8"], "--min-tokens 9 is more than --tokens 8: give -n 9"],
    [["--min-tokens", "9007199254740993"], "Expected an integer from 0 to 9007199254740991."],
    [["-n", "99999999999999999999999"], "Expected an integer from 1 to 9007199254740991."],
    [["-t", "99999999999999999999999"], "Expected an integer from 1 to 512."],
    [["--seed", "99999999999999999999999"], "4294967295"],
    [["--gpu-layers", "99999999999999999999999"], 'Expected an integer from 0 to 10000, or "all".'],
    [["--logprobs", "2"], "error: --logprobs needs --json, which prints them"],
  ] as const) {
    const { status, stderr } = ggsl([...args, ...wrong]);
    expect([status === 0, stderr]).toEqual([false, expect.stringContaining(message)]);
  }
});

test("--draft-model, --draft-max and --no-adapt write the same text in fewer decodes", async () => {
  const exact = ["--cache-type-k", "f32", "--cache-type-v", "f32", "--flash-attn", "off"];
  // whether such drafts pay depends on the machine
  const drafts = ["--draft-model", exactModel, "--draft-max", "3", "--no-adapt"];
  const { stdout } = ggsl([
    ...["run", "-e", "greedy()", "--backend", "cpu", "-c", "256", "--model", exactModel],
    ...[...exact, ...drafts, "-n", "60", "--json", "--stats"],
  ]);
  const { tokens, stats } = JSON.parse(stdout) as Written;
  const wanted: number[] = [];
  const options = { chain: compilePipeline("greedy()"), maxTokens: 60, contextSize: 256 };
  for await (const { token } of model.generate(PROMPT, options)) wanted.push(token);
  expect(tokens).toEqual(wanted);
  // its own model guesses right
  expect(stats.drafted).toBeGreaterThan(0);
  expect(stats.accepted! + stats.decodes!).toBeGreaterThanOrEqual(tokens.length);
  expect(stats.decodes).toBeLessThan(tokens.length);
});

test("--sequences gives each sequence the text of its seed", () => {
  const chain = program("top_k(40) |> dist()", "top_k, dist");
  // batches of other sizes round otherwise, and what comes of it is to stay small
  const exact = ["--cache-type-k", "f32", "--cache-type-v", "f32", "--flash-attn", "off"];
  const run = (...args: string[]) => ggsl(["run", chain, "--model", exactModel, ...exact, "-n", "12", ...args]);
  const of = (...args: string[]): unknown => JSON.parse(run("--json", ...args).stdout);
  const three = of("--sequences", "3", "--seed", "5", "--stats") as Written[];
  expect(three).toMatchObject([{ tokens: {}, stats: { generatedTokens: 12 } }, {}, {}]);
  for (const [i, { tokens }] of three.entries()) {
    const samplers = [bansEnd(model), { name: "top_k", k: 40 }, { name: "dist", seed: 5 + i }] as const;
    const near = picksNearOf(model, { model: exactModel, isExact: true, prompt: PROMPT, samplers });
    expectSameText(tokens, (of("--seed", `${5 + i}`) as Written).tokens, near);
  }
  const { stdout, status } = run("--sequences", "3", "--seed", "5");
  expect(stdout).toBe(three.map(({ text }) => `${PROMPT}${text}\n`).join("\n"));
  expect(status).toBe(0);
});
