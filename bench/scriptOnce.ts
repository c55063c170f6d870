/**
 * One fresh process of `npm run bench:script`: writes texts with a runtime's folder `dist`, and prints the microseconds of the main
 * thread for each token and sequence, one for each round.
 *
 * Decoding runs in threads of its own, so the main thread's time is that of the script and of what it calls. Linux counts it by thread in
 * nanoseconds; the helpers of the garbage collector are other threads, and not counted.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const TOKENS = 128;

type Runtime = Pick<typeof import("ggsl"), "compile" | "loadModel">;

const [dist, demo, stages, sequences, rounds] = process.argv.slice(2) as [string, string, string, string, string];
const mainThreadUs = (): number =>
  Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[0]) / 1e3;

const { compile, loadModel } = (await import(pathToFileURL(join(dist, "index.js")).href)) as Runtime;
using model = await loadModel(demo, { backend: "cpu", threads: 1, contextSize: 256 });
const chain = compile(stages);
using batch = model.batch({ sequences: Number(sequences) });

async function write(seed: number): Promise<number> {
  let count = 0;
  const request = { chain, uniforms: { seed }, maxTokens: TOKENS, feed: {} };
  for await (const _ of batch.add("And God said", request)) count++;
  return count;
}

const found: number[] = [];
// two rounds warm up
for (let round = -2; round < Number(rounds); round++) {
  const before = mainThreadUs();
  const counts = await Promise.all(Array.from({ length: Number(sequences) }, (_, i) => write(i + 1)));
  const us = (mainThreadUs() - before) / counts.reduce((sum, count) => sum + count, 0);
  if (round >= 0) found.push(us);
}
process.stdout.write(JSON.stringify(found));
