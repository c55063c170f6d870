/** Many clients, each with a sampler of its own, for some time. */
import { setTimeout } from "node:timers/promises";
import type { Child } from "./child.js";
import { openClient, quantile } from "../../../bench/server/client.js";

interface LoadOptions {
  readonly clients: number;
  readonly seconds: number;
  /** Tokens of a text. */
  readonly tokens: number;
  readonly key?: string;
}

interface LoadReport {
  readonly requests: number;
  readonly tokens: number;
  readonly seconds: number;
  readonly faults: readonly string[];
  /** Milliseconds: the median and the 99th of 100. */
  readonly first: readonly [number, number];
  readonly next: readonly [number, number];
  /** Megabytes after a sixth of the time, and at its end; medians of the samples around. */
  readonly memory: readonly [number, number];
  readonly cpu: number;
}

/** Graphs that differ, not only in their values: constants are part of a graph. */
export const samplerOf = (client: number): string =>
  [
    `top_k(${20 + client}) |> top_p(${0.8 + (client % 16) / 100}) |> temp(${0.7 + client / 100}) |> dist(${client})`,
    `min_p(${0.02 + client / 1000}) |> temp(${1 + client / 200}) |> dist(${client})`,
    `penalties(${32 + client}, ${1.05 + client / 1000}) |> top_k(${30 + client}) |> dist(${client})`,
    `chain c = top_k(${40 + client}) |> warm() |> dist(${client})
import { top_k, dist } from "std"
sampler warm() { logit = logit / ${1.1 + client / 100} + ${client} * prob }`,
  ][client % 4]!;

const SAMPLE_MILLISECONDS = 250;
/** What the server asks of a client whose sampler waits behind too many others. */
const RETRY_MILLISECONDS = 2000;

export async function load(server: Child, { clients, seconds, tokens, key }: LoadOptions): Promise<LoadReport> {
  const start = performance.now();
  const before = server.cpu();
  const end = start + seconds * 1000;
  const [faults, first, gaps]: [string[], number[], number[]] = [[], [], []];
  let requests = 0;
  const memory: number[] = [];
  const timer = setInterval(() => memory.push(server.memory()), SAMPLE_MILLISECONDS);
  await Promise.all(
    Array.from({ length: clients }, async (_, i) => {
      const client = openClient(server.url, key);
      try {
        while (performance.now() < end) {
          const body = { prompt: `In the year ${i}`, sampler: samplerOf(i), max_tokens: tokens, ignore_eos: true };
          const result = await client.stream(body);
          if (result.status === 429) {
            await setTimeout(RETRY_MILLISECONDS);
            continue;
          }
          requests++;
          if (!result.isDone || result.tokens !== tokens || result.pieces > tokens)
            faults.push(`client ${i}: ${result.status}, ${result.tokens} tokens: ${result.error ?? "not complete"}`);
          first.push(result.first);
          gaps.push(...result.gaps);
        }
      } catch (error) {
        faults.push(`client ${i}: ${(error as Error).message}`);
      } finally {
        client.close();
      }
    }),
  );
  clearInterval(timer);
  const sixth = Math.ceil(memory.length / 6);
  return {
    requests,
    tokens: requests * tokens,
    faults,
    seconds: (performance.now() - start) / 1000,
    first: [quantile(first, 0.5), quantile(first, 0.99)],
    next: [quantile(gaps, 0.5), quantile(gaps, 0.99)],
    memory: [quantile(memory.slice(sixth, 2 * sixth), 0.5), quantile(memory.slice(-sixth), 0.5)],
    cpu: server.cpu() - before,
  };
}
