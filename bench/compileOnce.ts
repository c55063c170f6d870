/**
 * One fresh process of `npm run bench:compile`: loads the compiler, compiles a chain once cold and then repeatedly, and prints
 * the measurements as JSON. Run with --expose-gc.
 */
const MIB = 2 ** 20;
const WARM_UP = 20;
const WARM = 30;

const stages = process.argv[2]!;
const heap = (): number => {
  globalThis.gc!();
  return process.memoryUsage().heapUsed;
};
const timed = <T>(action: () => T): [number, T] => {
  const start = performance.now();
  const result = action();
  return [performance.now() - start, result];
};

const before = heap();
const start = performance.now();
const { compilePipeline } = await import("ggsl/chain/chain.js");
const loadMs = performance.now() - start;

const [coldMs, chain] = timed(() => compilePipeline(stages));
const heapMiB = (heap() - before) / MIB;
const rssMiB = process.memoryUsage.rss() / MIB;
for (let i = 0; i < WARM_UP; i++) compilePipeline(stages);
const warmMs = Array.from({ length: WARM }, () => timed(() => compilePipeline(stages))[0]).sort((a, b) => a - b)[
  WARM / 2
]!;

process.stdout.write(
  JSON.stringify({
    loadMs,
    coldMs,
    warmMs,
    heapMiB,
    rssMiB,
    nodes: chain.graph.nodes.length,
    stages: chain.graph.stages.length,
  }),
);
