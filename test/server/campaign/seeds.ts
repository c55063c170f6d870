/** Requests with seeds: each text alone, and under load. */
import type { Child } from "./child.js";
import { openClient } from "../../../bench/server/client.js";

interface SeedReport {
  readonly texts: number;
  /** Texts that differ, with the token at which they do. */
  readonly differing: readonly string[];
  readonly faults: readonly string[];
  readonly seconds: number;
}

const TOKENS = 16;
const SAMPLERS = [
  undefined,
  "top_k(40) |> temp(0.8) |> dist()",
  "min_p(0.05) |> temp(1.2) |> dist()",
  "penalties(64, 1.1) |> top_p(0.9) |> dist()",
] as const;

const bodyOf = (seed: number): object => {
  const sampler = SAMPLERS[seed % SAMPLERS.length];
  return {
    prompt: `In the day that ${seed % 10}`,
    seed,
    max_tokens: TOKENS,
    ignore_eos: true,
    ...(sampler !== undefined && { sampler }),
  };
};

export async function seeds(server: Child, count: number, atOnce: number, key: string): Promise<SeedReport> {
  const start = performance.now();
  const faults: string[] = [];
  const all = async (clients: number): Promise<string[]> => {
    const texts = Array<string>(count);
    let next = 0;
    await Promise.all(
      Array.from({ length: clients }, async () => {
        const client = openClient(server.url, key);
        for (let seed = next++; seed < count; seed = next++) {
          const { text, tokens, isDone, error } = await client.stream(bodyOf(seed));
          if (!isDone || tokens !== TOKENS) faults.push(`seed ${seed}: ${tokens} tokens: ${error ?? "not complete"}`);
          texts[seed] = text;
        }
        client.close();
      }),
    );
    return texts;
  };
  const alone = await all(1);
  const together = await all(atOnce);
  const differing = alone.flatMap((text, seed) =>
    text === together[seed] ? [] : [`seed ${seed}: ${JSON.stringify(text)} and ${JSON.stringify(together[seed])}`],
  );
  return { texts: count, differing, faults, seconds: (performance.now() - start) / 1000 };
}
