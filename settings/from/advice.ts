/** A model's sampling advice: the `general.sampling.*` keys of its file, as `ggsl import` reads them. */
import { isSamplingKey, fromSamplingKeys } from "./formats/llamaGguf.js";
import { SAMPLING_KEYS } from "./formats/samplingKeys.js";
import type { Node } from "./nodes.js";
import { ImportError, type Note } from "./notes.js";
import { finish } from "./program.js";

/** The sampler settings that a model file advises. */
export interface SamplingAdvice {
  /** The program that `ggsl import` writes for the model file. Absent without any key, and with a fault. */
  readonly text?: string;
  /** What the program omits or changes: keys unknown to llama.cpp, values that llama.cpp converts. */
  readonly notes: readonly Note[];
  /** An invalid value, with its key. */
  readonly fault?: string;
}

/** The name of the source in messages and in the program's header. */
const SOURCE = "the model's metadata";

/** Reads a model's metadata, with each value as llama.cpp's text of it. */
export function readSamplingAdvice(metadata: Readonly<Record<string, string>>): SamplingAdvice {
  const keys = Object.entries(metadata).filter(([key]) => key.startsWith(SAMPLING_KEYS));
  const nodes = keys.map(([key, value]): [string, Node] => [key, { kind: "word", place: SOURCE, value }]);
  try {
    const plan = fromSamplingKeys(new Map(nodes), {});
    const { notes } = plan;
    return keys.some(([key]) => isSamplingKey(key)) ? { text: finish(plan, SOURCE).text, notes } : { notes };
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    return { notes: [], fault: error.message };
  }
}
