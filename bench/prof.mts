import { openGgsl } from "./texts/ggsl.js";
import { TEXT_CHAINS } from "./texts/chains.js";
const n = Number(process.argv[2] ?? 1), which = process.argv[3] ?? "default";
const chain = TEXT_CHAINS.find((c) => c.name === which)!;
const side = await openGgsl("examples/model/demo-q8_0.gguf", chain as never, n);
for (let i = 0; i < 20; i++) await side.write();
const rounds = Math.max(4, Math.floor(160 / n));
let us = 0, cpu = 0, tokens = 0, main = 0;
for (let i = 0; i < rounds; i++) { const r = await side.write(); us += r.us; cpu += r.cpuUs; tokens += r.tokens.flat().length; for (const [k, v] of r.threads) if (k === "main") main += v; }
console.log({ n, tokens, perTokenUs: us / tokens, cpuUs: cpu / tokens, main: main / tokens });
await side.close();
