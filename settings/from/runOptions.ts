/** Options of `ggsl run` for settings of a model's context. A program cannot contain them, so notes name them. */
import {
  CACHE_TYPES,
  MAX_CONTEXT,
  MAX_LAYERS,
  MAX_THREADS,
  type FlashAttention,
} from "@ggsl/compiler/llama/contexts.js";
import type { Setting } from "./nodes.js";
import type { Note } from "./notes.js";
import { describe, textOf, wholeOf } from "./values.js";

/** Converts a value to words: empty if it is the default, undefined if it is invalid. */
interface RunOption {
  readonly expected: string;
  readonly convert: (node: Setting["node"]) => string | undefined;
}

/** Numbers below `least` mean the default. */
const count = (least: number, most: number): RunOption => ({
  expected: `an integer from ${least} to ${most}`,
  convert(node) {
    const value = wholeOf(node);
    if (value === undefined || value > most) return undefined;
    return value < least ? "" : String(value);
  },
});

const cacheType: RunOption = {
  expected: `one of ${CACHE_TYPES.join(", ")}`,
  convert: (node) => CACHE_TYPES.find((type) => type === textOf(node)),
};

const LAYERS = count(0, MAX_LAYERS);

/** llama.cpp's synonyms. */
const WHEN: Readonly<Record<string, FlashAttention>> = {
  ...{ on: "on", enabled: "on", true: "on", 1: "on" },
  ...{ off: "off", disabled: "off", false: "off", 0: "off" },
  ...{ auto: "auto", "-1": "auto" },
};

const RUN_OPTIONS = {
  "--ctx-size": count(1, MAX_CONTEXT),
  "--cache-type-k": cacheType,
  "--cache-type-v": cacheType,
  "--threads": count(1, MAX_THREADS),
  "--threads-batch": count(1, MAX_THREADS),
  "--gpu-layers": {
    expected: `${LAYERS.expected}, auto or all`,
    convert: (node) => ({ auto: "", all: "all" })[textOf(node) ?? ""] ?? LAYERS.convert(node),
  },
  "--flash-attn": {
    expected: "on, off or auto",
    convert: (node) => (Object.hasOwn(WHEN, textOf(node) ?? "") ? WHEN[textOf(node)!] : undefined),
  },
} as const satisfies Record<string, RunOption>;

export type RunOptionName = keyof typeof RUN_OPTIONS;

/** The note with the option of `ggsl run` for a setting. */
export function runNote(option: RunOptionName, { key, node }: Setting): Note {
  const { expected, convert }: RunOption = RUN_OPTIONS[option];
  const { place } = node;
  const words = convert(node);
  if (words === undefined)
    return { kind: "lost", key, place, text: `${option} of ggsl run takes ${expected}, found ${describe(node)}` };
  if (words === "") return { kind: "idle", key, place, text: `it leaves the choice open, as without ${option}` };
  return { kind: "run", key, place, text: `${option} ${words}` };
}
