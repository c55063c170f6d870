/** The chains of `npm run bench:batches`, each for GGSL and for llama.cpp's samplers. */

/** How llama.cpp's side does it. */
export interface Way {
  /** In the tables. */
  readonly name: string;
  readonly options: Readonly<Record<string, string>>;
}

/** What GGSL's side runs. */
export interface Programs {
  /** The source of each sequence's chain; with one chain, it has a parameter `seed`. */
  readonly source: (sequence: number) => string;
  readonly grammar?: string;
}

export interface TextChain extends Programs {
  readonly name: string;
  /** The same in llama.cpp's samplers, but for the grammar. */
  readonly stages: string;
  readonly ways: readonly Way[];
}

const defaultOf = (k: number): string => `top_k(${k}) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(seed)`;
const DEFAULT = defaultOf(40);
const IMPORT = 'import { constrain, penalties, top_k, top_p, min_p, temp, dist } from "std"\n';
const programOf = (stages: string): string => `${IMPORT}chain c(seed: seed = 1) = ${stages}`;
const LLAMA_DEFAULT = "top_k k=40 | top_p p=0.95 | min_p p=0.05 | temp t=0.8 | dist seed={seed}";

/** No text that it accepts has fewer tokens than the measurement. */
const GRAMMAR = String.raw`root ::= verse{100}
verse ::= "{\"verse\": " number ", \"text\": \"" [A-Za-z ,.;:]+ "\"}\n"
number ::= [1-9] [0-9]{0,2}
`;

const UNIFIED: Way = { name: "one cache", options: { unified: "yes" } };
const SEPARATE: Way = { name: "a cache for each sequence", options: {} };
const MASKS: Way = { name: "grammar masks all tokens", options: { "grammar-order": "first", unified: "yes" } };
const CHECKS: Way = { name: "grammar checks the pick", options: { "grammar-order": "last", unified: "yes" } };
const CHECKS_SEPARATE: Way = { name: "the same, a cache for each sequence", options: { "grammar-order": "last" } };

export const TEXT_CHAINS: readonly TextChain[] = [
  {
    name: "default",
    source: () => programOf(DEFAULT),
    stages: LLAMA_DEFAULT,
    ways: [UNIFIED, SEPARATE],
  },
  {
    name: "grammar, penalties, default",
    source: () =>
      `${IMPORT}chain c(g: grammar, seed: seed = 1) = constrain(g) |> penalties(last_n: 64, repeat: 1.1) |> ${DEFAULT}`,
    stages: `penalties last_n=64 repeat=1.1 freq=0 present=0 | ${LLAMA_DEFAULT}`,
    grammar: GRAMMAR,
    ways: [MASKS, CHECKS, CHECKS_SEPARATE],
  },
];

/** One chain for all sequences, and a chain of its own for each: its `top_k` is part of the graph. */
export const ONE_CHAIN: Programs = { source: () => programOf(DEFAULT) };
export const OWN_CHAINS: Programs = { source: (sequence) => programOf(defaultOf(40 + sequence)) };

export const PROMPT = "And God said";
/** The tokens of each text, without the prompt. */
export const TOKENS = 128;
/** The positions of each sequence. */
export const CONTEXT_SIZE = 256;
