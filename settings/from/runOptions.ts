/**
 * What is said with an option of `ggsl run`, and of the API: settings of the generation and of the model's context. A program cannot
 * contain them, so notes name the options.
 */
import {
  CACHE_TYPES,
  MAX_CONTEXT,
  MAX_LAYERS,
  MAX_THREADS,
  type FlashAttention,
} from "@ggsl/compiler/llama/contexts.js";
import type { Node, Setting } from "./nodes.js";
import type { Note } from "./notes.js";
import { shellWord } from "./shell.js";
import { describe, flagOf, listOf, textOf, wholeOf } from "./values.js";

interface RunOption {
  /** What it is an option of. */
  readonly about: "run" | "generation";
  /** The option of `ggsl run`. */
  readonly option: string;
  /** In TypeScript; those of the context are the members of `loadModel`'s options. */
  readonly api?: string;
  readonly expected: string;
  /** The values to give the option; none if it stays away, undefined if the value is invalid. */
  readonly convert: (node: Node) => readonly string[] | undefined;
}

type Conversion = Pick<RunOption, "expected" | "convert">;

/** Numbers below `least` mean the default. */
const count = (least: number, most: number): Conversion => ({
  expected: `an integer from ${least} to ${most}`,
  convert(node) {
    const value = wholeOf(node);
    if (value === undefined || value > most) return undefined;
    return value < least ? [] : [String(value)];
  },
});

const cacheType: Conversion = {
  expected: `one of ${CACHE_TYPES.join(", ")}`,
  convert(node) {
    const type = CACHE_TYPES.find((name) => name === textOf(node));
    return type && [type];
  },
};

const LAYERS = count(0, MAX_LAYERS);

/** llama.cpp's synonyms. */
const WHEN: Readonly<Record<string, FlashAttention>> = {
  on: "on",
  enabled: "on",
  true: "on",
  1: "on",
  off: "off",
  disabled: "off",
  false: "off",
  0: "off",
  auto: "auto",
  "-1": "auto",
};

/** A text or a list of them; empty ones end nothing. */
const texts: Conversion = {
  expected: "a text, or a list of texts, without a byte 0",
  convert(node) {
    const one = textOf(node);
    const list = (one === undefined ? listOf(node, textOf) : [one])?.filter((text) => text !== "");
    return list?.some((text) => text.includes("\0")) ? undefined : list?.map(shellWord);
  },
};

const flag: Conversion = {
  expected: "true or false",
  convert(node) {
    const isOn = flagOf(node);
    return isOn === undefined ? undefined : isOn ? [""] : [];
  },
};

const MAX_COUNT = 2 ** 31 - 1;
const MAX_LIKELIEST = 100;
const LIKELIEST = count(0, MAX_LIKELIEST);

/** The input of a generation: it is not shown. */
const input = (shown: string): Conversion => ({ expected: "a text", convert: () => [shown] });

const generation = (option: string, api: string, conversion: Conversion): RunOption => ({
  about: "generation",
  option,
  api,
  ...conversion,
});
const context = (option: string, conversion: Conversion): RunOption => ({ about: "run", option, ...conversion });

const OPTIONS = {
  maxTokens: generation("-n", "maxTokens", count(1, MAX_COUNT)),
  stop: generation("--stop", "stop", texts),
  ignoreEnd: generation("--ignore-eos", "ignoreEnd", flag),
  /** With `true` those of the picked tokens alone. */
  logprobs: generation("--json --logprobs", "logprobs", {
    expected: `true, false or ${LIKELIEST.expected}`,
    convert: (node) => (node.kind === "bool" ? (node.value ? ["0"] : []) : LIKELIEST.convert(node)),
  }),
  /** A number of which 0 is off. */
  likeliest: generation("--json --logprobs", "logprobs", count(1, MAX_LIKELIEST)),
  sequences: generation("--sequences", "a `batch`", {
    expected: count(2, MAX_COUNT).expected,
    convert: count(2, MAX_COUNT).convert,
  }),
  prompt: generation("--prompt", "the prompt", input("TEXT")),
  messages: generation("--chat --prompt", "`model.chat`", input("TEXT")),
  system: generation("--chat --system", "`model.chat`", input("TEXT")),
  contextSize: context("--ctx-size", count(1, MAX_CONTEXT)),
  cacheTypeK: context("--cache-type-k", cacheType),
  cacheTypeV: context("--cache-type-v", cacheType),
  threads: context("--threads", count(1, MAX_THREADS)),
  threadsBatch: context("--threads-batch", count(1, MAX_THREADS)),
  gpuLayers: context("--gpu-layers", {
    expected: `${LAYERS.expected}, auto or all`,
    convert: (node) => ({ auto: [], all: ["all"] })[textOf(node) ?? ""] ?? LAYERS.convert(node),
  }),
  flashAttention: context("--flash-attn", {
    expected: "on, off or auto",
    convert: (node) => (Object.hasOwn(WHEN, textOf(node) ?? "") ? [WHEN[textOf(node)!]!] : undefined),
  }),
} as const satisfies Record<string, RunOption>;

export type OptionName = keyof typeof OPTIONS;

/** The note with the option of `ggsl run` for a setting. */
export function runNote(name: OptionName, { key, node }: Setting): Note {
  const { about, option, api, expected, convert }: RunOption = OPTIONS[name];
  const { place } = node;
  const values = convert(node);
  const [shown] = option.split(" ").slice(-1);
  if (values === undefined)
    return { kind: "lost", key, place, text: `${shown} of ggsl run takes ${expected}, found ${describe(node)}` };
  if (values.length === 0)
    return { kind: "idle", key, place, text: `it leaves the choice open, as without ${shown} of ggsl run` };
  const text = values.map((value) => `${option}${value === "" ? "" : ` ${value}`}`).join(" ");
  return { kind: about, key, place, text, ...(api !== undefined && { api }) };
}
