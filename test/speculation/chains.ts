/** Chains whose texts must not depend on drafts, and how two texts of one chain are compared. */
import { compile, compilePipeline, type Chain, type Model } from "../../runtime/index.js";
import type { SequenceRequest } from "../../runtime/generation/generate.js";
import type { Speculate } from "../../runtime/decode/speculation/options.js";

/** A chain, and what its requests need besides. */
interface SpeculatingChain {
  readonly chain: Chain;
  readonly request?: Partial<SequenceRequest>;
  /** Its states depend on the logits, so that rows are evaluated one after the other. */
  readonly isByRow?: boolean;
}

const program = (source: string): Chain => compile(`import { top_k, temp, dist } from "std"\n${source}`);

export const CHAINS: Readonly<Record<string, SpeculatingChain>> = {
  greedy: { chain: compilePipeline("greedy()") },
  default: { chain: compilePipeline("top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(42)") },
  penalties: { chain: compilePipeline("penalties(64, 1.1, 0.1, 0.1) |> top_k(20) |> temp(0.5) |> dist(3)") },
  dry: { chain: compilePipeline("dry(0.8, 1.75, 2, 64) |> top_k(20) |> temp(0.5) |> dist(3)") },
  mirostat_v2: { chain: compilePipeline("mirostat_v2(3, 0.1, 5)"), isByRow: true },
  xtc: { chain: compilePipeline("xtc(0.5, 0.1, seed: 7) |> temp(0.5) |> dist(3)"), isByRow: true },
  typical: { chain: compilePipeline("typical(0.9) |> min_p(0.05) |> temp(0.6) |> dist(9)") },
  grammar: {
    chain: program(`
sampler words() { keep allowed("root ::= (word \\" \\")+ word\\nword ::= [a-zA-Z,.;]+") }
chain c() = words |> top_k(20) |> temp(0.5) |> dist(5)`),
  },
  measure: {
    chain: program(`
sampler watched(seed: seed = random) {
  pick sample(seed)
  measure surprise = -log2(picked(prob))
}
chain c() = top_k(40) |> temp(0.6) |> watched(seed: 11)`),
  },
  states: {
    chain: program(`
sampler warmer() {
  state seen: i32 = 0
  logit /= 0.5 + 0.002 * seen
  after pick { seen += 1 }
}
chain c() = warmer |> top_k(20) |> dist(13)`),
  },
  uniforms: {
    chain: program(`
sampler by_text() {
  logit /= last(1) < 300 ? 0.5 : 0.3 + 0.001 * step
}
chain c() = by_text |> top_k(20) |> dist(17)`),
  },
  guide: {
    chain: program(`
input other: logits
sampler contrast() { logit += 0.3 * (logit - other) }
chain c() = contrast |> top_k(20) |> temp(0.5) |> dist(19)`),
    request: { guides: { other: { prompt: "And God said" } } },
  },
  tail: { chain: compilePipeline("top_k(40) |> host temp(0.5) |> host dist(4)") },
  phrases: {
    chain: compilePipeline("top_k(40) |> temp(0.7) |> gumbel(23)"),
    request: { bannedPhrases: [" the", "God", " and"] },
  },
};

export const PROMPT = "In the beginning God created the heaven and the earth. In the beginning God created the";

/** How a text is written: as it comes, with tokens that are taken back again and again, or saved in the middle and resumed. */
export const WAYS = ["straight", "rewinds", "saves"] as const;

interface TextOptions {
  readonly prompt?: string | Int32Array;
  readonly maxTokens: number;
  readonly speculate?: Speculate;
  readonly way?: (typeof WAYS)[number];
}

/** Tokens are taken back after so many. */
const EVERY = 13;

/** A text, with the statistics of its generation. */
export async function textOf(model: Model, { chain, request }: SpeculatingChain, options: TextOptions) {
  const { prompt = PROMPT, maxTokens, speculate, way = "straight" } = options;
  const pieces: (Readonly<Record<string, number>> | undefined)[] = [];
  const tokens: number[] = [];
  const half = Math.floor(maxTokens / 2);
  const asked = { ...request, chain, ...(speculate && { speculate }) };
  const generationOf = (from: string | Int32Array, more: Partial<SequenceRequest>) =>
    model.generate(from, { ...asked, ...more });
  const read = async (generation: ReturnType<typeof generationOf>): Promise<void> => {
    let taken = 0;
    for await (const { token, measures } of generation) {
      tokens.push(token);
      pieces.push(measures);
      if (way !== "rewinds" || tokens.length !== EVERY * (taken + 1)) continue;
      // fewer each time, so that the text goes on
      const count = Math.max(0, 8 - taken++);
      generation.rewind(count);
      tokens.length -= count;
      pieces.length -= count;
    }
  };
  const first = generationOf(prompt, { maxTokens: way === "saves" ? half : maxTokens });
  await read(first);
  const stats = { ...first.stats() };
  if (way === "saves" && stats.finish === "maxTokens") {
    const { tokens: soFar, sequence, guides = {} } = first.save();
    const resumed = generationOf(soFar, {
      maxTokens: maxTokens - half,
      resume: sequence,
      guides: Object.fromEntries(Object.entries(guides).map(([name, text]) => [name, { prompt: text }])),
    });
    await read(resumed);
    const { drafted = 0, accepted = 0, decodes = 0 } = resumed.stats();
    if (speculate)
      Object.assign(stats, {
        drafted: stats.drafted! + drafted,
        accepted: stats.accepted! + accepted,
        decodes: stats.decodes! + decodes,
      });
  }
  return { tokens, measures: pieces, stats };
}
