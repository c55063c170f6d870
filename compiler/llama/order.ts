/** The samplers of llama.cpp's `--samplers` and `--sampler-seq` (common/sampling.cpp). */

interface ListedSampler {
  /** Its letter in `--sampler-seq`. */
  readonly letter: string;
  readonly aliases: readonly string[];
}

/** The samplers by their names in `--samplers`. */
const LISTED_SAMPLERS = {
  penalties: { letter: "e", aliases: [] },
  dry: { letter: "d", aliases: [] },
  top_n_sigma: { letter: "s", aliases: ["top-n-sigma", "topnsigma"] },
  top_k: { letter: "k", aliases: ["top-k", "topk"] },
  typ_p: { letter: "y", aliases: ["typ-p", "typp", "typ"] },
  top_p: { letter: "p", aliases: ["top-p", "topp", "nucleus"] },
  min_p: { letter: "m", aliases: ["min-p", "minp"] },
  xtc: { letter: "x", aliases: [] },
  temperature: { letter: "t", aliases: ["temp"] },
  infill: { letter: "i", aliases: [] },
  adaptive_p: { letter: "a", aliases: ["adaptive-p", "adaptivep"] },
} as const satisfies Record<string, ListedSampler>;

export type ListedName = keyof typeof LISTED_SAMPLERS;
export const LISTED_NAMES = Object.keys(LISTED_SAMPLERS) as ListedName[];

/** llama.cpp's default order. */
export const DEFAULT_ORDER: readonly ListedName[] = LISTED_NAMES.filter((n) => n !== "infill" && n !== "adaptive_p");

/** The sampler with a name or alias, case-insensitive. */
export const samplerNamed = (name: string): ListedName | undefined =>
  LISTED_NAMES.find((s) => s === name.toLowerCase() || aliasesOf(s).includes(name.toLowerCase()));

const aliasesOf = (name: ListedName): readonly string[] => LISTED_SAMPLERS[name].aliases;

export const samplerOfLetter = (letter: string): ListedName | undefined =>
  LISTED_NAMES.find((s) => LISTED_SAMPLERS[s].letter === letter);
