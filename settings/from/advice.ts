/** A model's own advice: the `general.sampling.*` keys of its file, as `ggsl import` reads them. */
import { isSamplingKey, fromSamplingKeys, SAMPLING_KEYS } from "./formats/llamaGguf.js";
import type { Node } from "./nodes.js";
import { ImportError, type Note } from "./notes.js";
import { finish } from "./program.js";

export interface SamplingAdvice {
  /** The program that `ggsl import` makes of the model's file. Absent where no key is there, and with a fault. */
  readonly text?: string;
  /** What the program leaves out or changes: keys that llama.cpp does not know, values that it takes as others. */
  readonly notes: readonly Note[];
  /** A value that can not be used, with its key. */
  readonly fault?: string;
}

/** Where the keys are, for messages and the program's header. */
const SOURCE = "the model's metadata";

/** Reads a model's metadata, each value as the text that llama.cpp keeps of it. */
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
