/**
 * Hostile clients: samplers of the fuzz generators through the store, and a small part of `npm run campaign:server`. Each request has an
 * answer, and the thread, the process and the memory last.
 */
import { beforeAll, describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RefusalReason } from "../../server/refusal.js";
import { programs } from "../fuzz/generators/programs.js";
import { sizes } from "../fuzz/generators/sizes.js";
import { specs } from "../fuzz/generators/specs.js";
import { writeExactModel } from "../model/file.js";
import { openClient } from "../../bench/server/client.js";
import { METRICS_KEY, startServer, templateOptions, type Child } from "./campaign/child.js";
import { hostile } from "./campaign/hostile.js";
import { load } from "./campaign/load.js";
import { seeds } from "./campaign/seeds.js";
import { folder, openStore, refusalOf, VOCAB_SIZE } from "./store.js";

const SEED = 20240517;

/** Cases per generator; `npm run campaign:server` sends thousands to a whole server. */
const COUNTS = [
  [programs, 30],
  [sizes, 12],
  [specs, 40],
] as const;

const texts = COUNTS.flatMap(([{ cases, show }, numRuns]) =>
  fc.sample(cases, { seed: SEED, numRuns }).map((c) => show!(c).text),
);

/** What a sampler of a stranger may be answered. The compiler itself never fails. */
const ANSWERS: readonly RefusalReason[] = [
  "invalid_request",
  "invalid_sampler",
  "unknown_sampler",
  "sampler_too_large",
  "sampler_too_costly",
];

test("each sampler is compiled or refused, and an honest client is served at once", async () => {
  const errors: string[] = [];
  const note = (_: object, message: string): void => void errors.push(message);
  const log = { info: note, warn: note, error: note };
  await using store = openStore({ log, capacity: 16, memory: 128, cost: { work: 100 * VOCAB_SIZE } });
  const clients = ["mallory", "honest"].map((lane) => ({ lane, limits: { cost: {} } }));
  const [mallory, honest] = [clients[0]!, clients[1]!];
  const counts = new Map<string, number>();
  let left = texts.length;
  let compiled = 0;
  const attack = Promise.all(
    Array.from({ length: 20 }, async () => {
      for (;;) {
        const sampler = texts[--left];
        if (sampler === undefined) return;
        const refusal = await store.get({ sampler }, { client: mallory }).then(
          () => undefined,
          (error: unknown) => refusalOf(Promise.reject(error as Error)),
        );
        const answer = refusal?.reason ?? "compiled";
        if (refusal) expect(ANSWERS).toContain(refusal.reason);
        if (refusal) expect(JSON.stringify(refusal.body).length).toBeLessThan(2 ** 18);
        counts.set(answer, (counts.get(answer) ?? 0) + 1);
        if (answer === "compiled" || answer === "invalid_sampler") compiled++;
      }
    }),
  );
  const before: number[] = [];
  const queued: number[] = [];
  for (let k = 1; k <= 15; k++) {
    const start = compiled;
    queued.push(store.waiting);
    const sampler = await store.get({ sampler: `top_k(${k}) |> dist(${k})` }, { client: honest });
    expect(sampler.picks).toBe(true);
    before.push(compiled - start);
  }
  // one is in the thread, and the lanes take turns: without them all that waited would have been first
  expect(Math.max(...before)).toBeLessThan(6);
  expect(queued.filter((count) => count > 6).length).toBeGreaterThan(5);
  await attack;
  expect(errors).toEqual([]);
  expect(counts.get("compiled")).toBeGreaterThan(0);
  expect(counts.get("invalid_sampler")).toBeGreaterThan(50);
  expect(store.size).toBeLessThanOrEqual(16);
});

// ---------------------------------------------------------------- a whole server

const keys = { hostile: "sk-mallory-1", honest: "sk-honest-1" };
let server: Child;
beforeAll(async () => {
  const file = join(folder, "keys.txt");
  writeFileSync(file, `${keys.hostile} mallory requests=4\n${keys.honest} honest\n${METRICS_KEY} metrics\n`);
  server = await startServer(
    writeExactModel(folder),
    ...["--sequences", "8", "--ctx-size", "256", "--api-keys", file, "--limit", "sorts=2"],
    ...templateOptions(folder),
    ...["--cache-type-k", "f32", "--cache-type-v", "f32", "--flash-attn", "off"],
  );
});

describe("a server", () => {
  test("writes every token for clients that each bring a sampler", async () => {
    const { faults, requests } = await load(server, { clients: 8, seconds: 1, tokens: 4, key: keys.honest });
    expect(faults).toEqual([]);
    expect(requests).toBeGreaterThanOrEqual(8);
  });

  test("survives hostile clients, whom honest ones do not notice", async () => {
    const report = await hostile(server, {
      requests: 60,
      seconds: 300,
      quiet: 0.1,
      atOnce: 12,
      honest: 4,
      seed: 3,
      targets: [{ key: keys.hostile }],
      client: () => openClient(server.url, keys.honest),
    });
    expect(report.faults).toEqual([]);
    expect([report.texts > 0, report.differing]).toEqual([true, 0]);
    // times are those of npm run campaign:server
    expect(report.goals.slice(0, 3).map(({ isMet }) => isMet)).toEqual([true, true, true]);
    expect(report.outcomes.size).toBeGreaterThan(5);
  });

  test("writes the same texts for the same seeds, alone and together", async () => {
    const { faults, differing } = await seeds(server, 12, 8, keys.honest);
    expect([faults, differing]).toEqual([[], []]);
  });

  test("refuses a sampler that costs more than --limit allows", async () => {
    const stage = (n: number) => `sampler s${n}() { sort by abs(logit - ${n}) asc  logit += rank }`;
    const sampler = `${[1, 2, 3].map(stage).join("\n")}\nchain c = s1() |> s2() |> s3()`;
    const answer = await fetch(`${server.url}/v1/samplers`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${keys.honest}` },
      body: JSON.stringify({ sampler }),
    });
    const { error } = (await answer.json()) as { readonly error: Readonly<Record<string, unknown>> };
    expect([answer.status, error["code"], error["param"]]).toEqual([400, "sampler_too_costly", "sampler"]);
    expect(error["message"]).toContain("3 sorts of the vocabulary, and at most 2 are allowed");
  });

  test("ends when it is asked to, without a word", async () => {
    expect([await server.end(), server.errors()]).toEqual([0, expect.not.stringMatching(/error|warning/i)]);
  });
});
