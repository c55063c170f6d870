/** A hostile client, with honest ones beside it that must not notice. */
import * as fc from "fast-check";
import { attacks } from "./attacks.js";
import type { Child } from "./child.js";
import { openClient, quantile, type Client } from "../../../bench/server/client.js";
import { samplerOf } from "./load.js";

export interface HostileOptions {
  readonly requests: number;
  /** Attacks at once. */
  readonly atOnce: number;
  readonly honest: number;
  readonly keys: { readonly hostile: string; readonly honest: string };
  readonly seed: number;
}

export interface HostileReport {
  readonly seconds: number;
  /** How often each attack had each outcome. */
  readonly outcomes: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly faults: readonly string[];
  /** Texts of honest clients, and those that differ from the text alone: the model's logits depend on the batch a little. */
  readonly texts: number;
  readonly differing: number;
  /** Milliseconds between tokens of honest clients: the median and the 99th of 100. */
  readonly next: readonly [number, number];
  readonly memory: readonly [number, number];
}

const TOKENS = 24;
/** Different texts of each honest client. */
const TEXTS = 4;

const bodyOf = (client: number, i: number): object => ({
  prompt: `And in those days ${client} ${i}`,
  ...{ sampler: samplerOf(client), max_tokens: TOKENS, ignore_eos: true },
});

export async function hostile(server: Child, options: HostileOptions): Promise<HostileReport> {
  const { requests, atOnce, honest, keys, seed } = options;
  const faults: string[] = [];
  const clients = Array.from({ length: honest }, () => openClient(server.url, keys.honest));
  const write = async (client: Client, n: number, i: number): ReturnType<Client["stream"]> => {
    const result = await client.stream(bodyOf(n, i));
    if (!result.isDone || result.tokens !== TOKENS)
      faults.push(`honest client ${n}: ${result.status}, ${result.tokens} tokens: ${result.error ?? "not complete"}`);
    return result;
  };
  const alone = new Map<string, string>();
  for (let n = 0; n < honest; n++)
    for (let i = 0; i < TEXTS; i++) alone.set(`${n} ${i}`, (await write(clients[n]!, n, i)).text);

  const outcomes = new Map<string, Map<string, number>>();
  const start = performance.now();
  const memory: number[] = [];
  const timer = setInterval(() => server.isAlive() && memory.push(server.memory()), 500);
  let isOver = false;
  const gaps: number[] = [];
  let [texts, differing] = [0, 0];
  const others = clients.map(async (client, n) => {
    for (let i = 0; !isOver; i = (i + 1) % TEXTS) {
      const result = await write(client, n, i);
      gaps.push(...result.gaps);
      texts++;
      if (result.text !== alone.get(`${n} ${i}`)) differing++;
    }
  });
  // in parts, since a case can have a hundred thousand characters
  const target = { url: server.url, key: keys.hostile };
  const part = 500;
  for (let done = 0; done < requests && server.isAlive(); done += part) {
    const all = fc.sample(attacks(target), { seed: seed + done, numRuns: Math.min(part, requests - done) });
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (let one = all.pop(); one && server.isAlive(); one = all.pop()) {
          const outcome = String(await one.run());
          const counts = outcomes.get(one.kind) ?? new Map<string, number>();
          outcomes.set(one.kind, counts.set(outcome, (counts.get(outcome) ?? 0) + 1));
          if (outcome.startsWith("5")) faults.push(`${one.kind}: ${outcome}`);
        }
      }),
    );
  }
  isOver = true;
  await Promise.all(others.map((one) => one.catch((error: unknown) => faults.push((error as Error).message))));
  clearInterval(timer);
  for (const client of clients) client.close();
  if (!server.isAlive()) faults.push(`the server ended: ${server.errors()}`);
  else faults.push(...(await leftovers(server)));
  const sixth = Math.ceil(memory.length / 6);
  return {
    ...{ outcomes, faults, texts, differing },
    seconds: (performance.now() - start) / 1000,
    next: [quantile(gaps, 0.5), quantile(gaps, 0.99)],
    memory: [quantile(memory.slice(sixth, 2 * sixth), 0.5), quantile(memory.slice(-sixth), 0.5)],
  };
}

/** Places and requests that were not given back, although their clients have gone. */
export async function leftovers(server: Child): Promise<string[]> {
  const names = ["ggsl_running_texts", "ggsl_queue_length", "ggsl_compiler_queue_length"];
  let left: string[] = [];
  for (let tries = 0; tries < 20; tries++) {
    const values = await Promise.all(names.map((name) => server.metric(name)));
    left = names.flatMap((name, i) => (values[i] === 0 ? [] : [`${name} is ${values[i]} at the end`]));
    if (left.length === 0) return [];
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return left;
}
