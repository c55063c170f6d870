/** Hostile clients, with honest ones beside them that must not notice: found values and goals. */
import * as fc from "fast-check";
import { setTimeout as wait } from "node:timers/promises";
import { openClient, quantile, type Client, type Path } from "../../../bench/server/client.js";
import type { Child } from "./child.js";
import { attacks } from "./heavy.js";
import { samplerOf } from "./load.js";
import type { Target } from "./send.js";

interface HostileOptions {
  /** It ends after so many hostile requests, or so many seconds. */
  readonly requests: number;
  readonly seconds: number;
  /** Seconds of honest clients alone, before and after. */
  readonly quiet: number;
  /** Attacks at once. */
  readonly atOnce: number;
  readonly honest: number;
  readonly client: (honest: number) => Client;
  readonly targets: readonly Omit<Target, "url">[];
  readonly seed: number;
  /** Only attacks of these kinds; default: all. */
  readonly kinds?: readonly string[] | undefined;
}

export interface Goal {
  readonly name: string;
  readonly found: string;
  readonly wanted: string;
  readonly isMet: boolean;
}

interface HostileReport {
  readonly seconds: number;
  readonly requests: number;
  /** How often each attack had each outcome. */
  readonly outcomes: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly faults: readonly string[];
  /** Texts of honest clients, and those that differ from the text alone: the model's logits depend on the batch a little. */
  readonly texts: number;
  readonly differing: number;
  readonly goals: readonly Goal[];
}

const TOKENS = 16;
/** Different texts of each honest client. */
const TEXTS = 4;
/** Milliseconds between two requests of an honest client. */
const PAUSE = 100;

/** Texts in a thousand that may differ: no setting makes logits equal to the last bit. */
const DIFFERING = 5;
/** What honest clients may wait, relative to a quiet server. */
const SLOWER = 2;
/** Milliseconds that the event loop may stand still. */
const HOLD = 100;
/** Growth of memory. */
const GROWTH = 0.05;
/** Of the time, before memory is looked at. */
const WARM_UP = 0.2;

const SCHEMA = {
  type: "object",
  additionalProperties: false,
  required: ["book", "verse"],
  properties: {
    book: { enum: ["Genesis", "Exodus", "Leviticus"] },
    verse: { type: "integer", minimum: 1, maximum: 99 },
  },
};

/** Requests of all kinds: without a sampler, with one, with a schema, and chats. */
function requestOf(client: number, i: number): { readonly path: Path; readonly body: object } {
  const words = `And in those days ${client} ${i}`;
  const messages = [{ role: "user", content: words }];
  const common = { max_tokens: TOKENS, seed: client * TEXTS + i };
  switch (client % 4) {
    case 0:
      return { path: "/v1/completions", body: { ...common, prompt: words, ignore_eos: true, top_p: 0.9 } };
    case 1: {
      const { seed: _, ...rest } = common;
      return {
        path: "/v1/completions",
        body: { ...rest, prompt: words, ignore_eos: true, sampler: samplerOf(client) },
      };
    }
    case 2: {
      const format = { type: "json_schema", json_schema: { name: "verse", schema: SCHEMA } };
      return { path: "/v1/chat/completions", body: { ...common, messages, max_tokens: 40, response_format: format } };
    }
    default:
      return { path: "/v1/chat/completions", body: { ...common, messages, ignore_eos: true } };
  }
}

/** Times of honest clients, in milliseconds. */
interface Times {
  readonly first: number[];
  readonly whole: number[];
}

const openTimes = (): Times => ({ first: [], whole: [] });

export async function hostile(server: Child, options: HostileOptions): Promise<HostileReport> {
  const { requests, seconds, quiet, atOnce, honest, targets, seed } = options;
  const faults: string[] = [];
  const outcomes = new Map<string, Map<string, number>>();
  const clients = Array.from({ length: honest }, (_, n) => options.client(n));
  const alone = new Map<string, string>();
  let [texts, differing] = [0, 0];
  const write = async (n: number, i: number): Promise<{ text: string; first: number; whole: number }> => {
    const { path, body } = requestOf(n, i);
    const result = await clients[n]!.stream(body, path);
    if (!result.isDone || result.tokens === 0)
      throw new Error(
        `honest client ${n}: ${result.status}, ${result.tokens} tokens: ${result.error ?? "not complete"}`,
      );
    return { ...result, whole: result.gaps.reduce((sum, gap) => sum + gap, result.first) };
  };
  /** All honest clients write until it is over. */
  const writeAll = async (times: Times, isOver: () => boolean): Promise<void> => {
    const one = async (n: number): Promise<void> => {
      for (let i = 0; !isOver(); i = (i + 1) % TEXTS) {
        const written = await write(n, i).catch((error: unknown) => void faults.push((error as Error).message));
        await wait(PAUSE);
        if (!written) continue;
        const { text, first, whole } = written;
        times.first.push(first);
        times.whole.push(whole);
        texts++;
        if (text !== alone.get(`${n} ${i}`)) differing++;
      }
    };
    await Promise.all(clients.map((_, n) => one(n)));
  };
  const writeQuietly = (): Promise<void> => {
    const end = performance.now() + quiet * 1000;
    return writeAll(quietTimes, () => performance.now() >= end);
  };

  const quietTimes = openTimes();
  const busyTimes = openTimes();
  for (let n = 0; n < honest; n++) for (let i = 0; i < TEXTS; i++) alone.set(`${n} ${i}`, (await write(n, i)).text);
  await writeQuietly();

  const start = performance.now();
  const memory: { at: number; megabytes: number }[] = [];
  let hold = 0;
  let sent = 0;
  const isOver = (): boolean => sent >= requests || performance.now() - start > seconds * 1000 || !server.isAlive();
  await server.metric("ggsl_event_loop_hold_seconds");
  const look = async (): Promise<void> => {
    for (let i = 0; server.isAlive() && !isDone; i++) {
      memory.push({ at: performance.now(), megabytes: server.memory() });
      if (i % 4 === 0) hold = Math.max(hold, await server.metric("ggsl_event_loop_hold_seconds").catch(() => hold));
      await wait(250);
    }
  };
  let isDone = false;
  const looking = look();
  const others = writeAll(busyTimes, isOver);
  // in parts, since a case can have a hundred thousand characters
  const part = 200;
  for (let round = 0; !isOver(); round++) {
    const target = { url: server.url, ...targets[round % targets.length]! };
    const count = Math.min(part, requests - sent);
    const all = fc
      .sample(attacks(target), { seed: seed + round, numRuns: count })
      .filter(({ kind }) => options.kinds?.includes(kind) ?? true);
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (let one = all.pop(); one && !isOver(); one = all.pop()) {
          sent++;
          const outcome = String(await one.run());
          const counts = outcomes.get(one.kind) ?? new Map<string, number>();
          outcomes.set(one.kind, counts.set(outcome, (counts.get(outcome) ?? 0) + 1));
          if (/^50[0-24-9]/.test(outcome)) faults.push(`${one.kind}: ${outcome}`);
        }
      }),
    );
  }
  await others;
  isDone = true;
  await looking;
  const took = (performance.now() - start) / 1000;
  const isAlive = server.isAlive();
  if (isAlive) {
    hold = Math.max(hold, await server.metric("ggsl_event_loop_hold_seconds"));
    faults.push(...(await leftovers(server)));
    await writeQuietly();
  }
  for (const client of clients) client.close();
  const goals = [
    goal("the process lives", isAlive ? "yes" : `no: ${server.errors().slice(-2000)}`, "yes", isAlive),
    goal("faults", String(faults.length), "0", faults.length === 0),
    goal(
      "honest texts that changed",
      `${differing} of ${texts}`,
      `${DIFFERING} in 1000`,
      differing * 1000 <= texts * DIFFERING,
    ),
    ...(["first", "whole"] as const).map((name) => {
      const [busy, before] = [busyTimes, quietTimes].map((times) => quantile(times[name], 0.99)) as [number, number];
      const what = name === "first" ? "time to the first token" : "time of an answer";
      const found = `${busy.toFixed(0)} of ${before.toFixed(0)} ms: ${(busy / before).toFixed(2)}`;
      return goal(`honest ${what}, p99 to that of the quiet server`, found, `${SLOWER}`, busy <= SLOWER * before);
    }),
    goal("longest hold of the event loop", `${(hold * 1000).toFixed(0)} ms`, `${HOLD} ms`, hold * 1000 <= HOLD),
    memoryGoal(memory),
  ];
  return { seconds: took, requests: sent, outcomes, faults, texts, differing, goals };
}

const goal = (name: string, found: string, wanted: string, isMet: boolean): Goal => ({ name, found, wanted, isMet });

/** Between the first and the last fifth of the time after the warm-up. */
function memoryGoal(samples: readonly { readonly at: number; readonly megabytes: number }[]): Goal {
  const warm = samples.slice(Math.floor(samples.length * WARM_UP)).map(({ megabytes }) => megabytes);
  const fifth = Math.max(1, Math.floor(warm.length / 5));
  const [before, after] = [warm.slice(0, fifth), warm.slice(-fifth)].map((part) => quantile(part, 0.5)) as [
    number,
    number,
  ];
  const found = `${before.toFixed(0)} to ${after.toFixed(0)} MB: ${(100 * (after / before - 1)).toFixed(1)} %`;
  return goal("growth of memory", found, `${100 * GROWTH} %`, after <= before * (1 + GROWTH));
}

/** Places and requests that were not given back, although their clients have gone. */
async function leftovers(server: Child): Promise<string[]> {
  const names = ["ggsl_running_texts", "ggsl_queue_length", "ggsl_compiler_queue_length", "ggsl_body_bytes"];
  let left: string[] = [];
  for (let tries = 0; tries < 100; tries++) {
    const values = await Promise.all(names.map((name) => server.metric(name)));
    left = names.flatMap((name, i) => (values[i] === 0 ? [] : [`${name} is ${values[i]} at the end`]));
    if (left.length === 0) return [];
    await wait(100);
  }
  return left;
}

/** Honest clients and hostile ones of a server without keys, each with an address. */
export const byAddress = (url: () => string) => ({
  client: (n: number): Client => openClient(url(), "none", true, `127.0.1.${n + 1}`),
  targets: Array.from({ length: 8 }, (_, i) => ({ from: `127.0.2.${i + 1}` })),
});
