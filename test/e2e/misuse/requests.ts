/** What every request for a text takes and refuses. */
import type { Chain } from "../../../runtime/index.js";
import { COUNTS, EMPTY_OPTIONS, KINDS, option, type Entry } from "./entry.js";

/** What is there once the model is loaded. */
export interface Prepared {
  /** With a guide and a text from outside. */
  readonly guided: Chain;
  /** With a set of tokens. */
  readonly banning: Chain;
  /** The sequence of a generation that was saved. */
  readonly saved: object;
}

/** What every request for a text takes. */
export const requests = (
  name: string,
  run: (options: object) => unknown,
  prepared: () => Prepared,
): [string, Entry][] => [
  [`${name}: maxTokens`, { call: option(run, "maxTokens"), ...COUNTS }],
  [`${name}: minTokens`, { call: option(run, "minTokens"), ...COUNTS, refuses: [-1] }],
  [`${name}: ignoreEnd`, { call: option(run, "ignoreEnd"), takes: ["boolean"] }],
  [`${name}: stop`, { call: option(run, "stop"), takes: ["list", "texts"], refuses: ["a", [""], [1]] }],
  [`${name}: logprobs`, { call: option(run, "logprobs"), ...COUNTS, refuses: [101] }],
  [`${name}: alternatives`, { call: option(run, "alternatives"), ...COUNTS, refuses: [101] }],
  [`${name}: states`, { call: option(run, "states"), takes: ["boolean"] }],
  [`${name}: signal`, { call: option(run, "signal") }],
  [
    `${name}: uniforms`,
    {
      call: option(run, "uniforms"),
      takes: ["object", "date"],
      refuses: [{ t: "1" }, { t: null }, { t: -1 }, { u: 1 }],
    },
  ],
  [
    `${name}: feed`,
    {
      call: option(run, "feed"),
      takes: EMPTY_OPTIONS,
      refuses: [
        ...[{ bias: {} }, { inputs: [] }, { inputs: { x: 1 } }, { inputs: { x: ["a"] } }, { openGrammar: "root" }],
        ...[{ vocabulary: 5 }, { vocabulary: "ab" }, { vocabulary: [1] }, { vocabulary: { pieces: ["a"] } }],
      ],
    },
  ],
  [
    `${name}: guides`,
    {
      call: option(run, "guides"),
      takes: EMPTY_OPTIONS,
      // the chain has none
      refuses: [{ negative: { prompt: "In the beginning" } }],
    },
  ],
  [
    `${name}: a guide`,
    {
      call: (value: unknown) =>
        run({ chain: prepared().guided, guides: { negative: value }, feed: { inputs: { source: [] } } }),
      refuses: [
        ...[
          undefined,
          { prompt: 5 },
          { prompt: [1] },
          { prompt: Int32Array.of(-1) },
          { prompt: Int32Array.of(2 ** 20) },
        ],
      ],
    },
  ],
  [
    `${name}: guides that are missing or unknown`,
    {
      call: (guides: unknown) => run({ chain: prepared().guided, guides, feed: { inputs: { source: [] } } }),
      refuses: [
        undefined,
        { other: { prompt: "In the beginning" } },
        { negative: { prompt: "In the beginning" }, other: { prompt: "In the beginning" } },
      ],
    },
  ],
  [
    `${name}: a set of tokens`,
    {
      call: (value: unknown) => run({ chain: prepared().banning, uniforms: { banned: value } }),
      // letters are tokens of the model
      takes: ["list", "texts"],
      refuses: [[1.5], [-1], [null], [[1]], [2 ** 31], [1, 2, 3, 4, 5], [""], ["no token has this text"]],
    },
  ],
  [`${name}: chain`, { call: option(run, "chain"), refuses: [undefined, { graph: {} }, { graph: { name: "a" } }] }],
  [
    `${name}: resume`,
    {
      call: (value: unknown) => run({ resume: value }),
      refuses: [
        ...[...REQUIRED, ...ADDED].flatMap((part) =>
          Object.values(KINDS)
            .filter((value) => !(part === "chain" && value === "c") && !isFine(part, value))
            .map((value) => () => ({ ...prepared().saved, [part]: value })),
        ),
        () => ({ ...prepared().saved, streams: [{ seed: -1, count: 0 }] }),
        () => ({ ...prepared().saved, streams: [{ seed: 1, count: 1e9 }] }),
        () => ({ ...prepared().saved, params: { t: NaN } }),
        () => ({ ...prepared().saved, history: [99999] }),
        () => ({ ...prepared().saved, states: [1] }),
        () => ({ ...prepared().saved, sets: { t: [1] } }),
        () => ({ ...prepared().saved, sets: { banned: ["a"] } }),
        () => ({ ...prepared().saved, promptLength: 2 ** 31 }),
        () => ({ ...prepared().saved, prompt: [99999] }),
        () => ({ ...prepared().saved, watches: [{}] }),
        () => ({ ...prepared().saved, watches: [{ ending: "a", matched: 0, since: -1 }] }),
        () => ({ ...prepared().saved, watches: [{ ending: 5, matched: 0, since: 0 }] }),
        () => ({ ...prepared().saved, watches: [{ ending: "a", matched: 1.5, since: 0 }] }),
        ...REQUIRED.map((part) => () => ({ ...prepared().saved, [part]: undefined })),
      ],
    },
  ],
];

/** The parts of a saved sequence, and those that earlier versions did not save. */
const REQUIRED = ["ggsl", "chain", "params", "streams", "states", "step", "history"];
const ADDED = ["sets", "promptLength", "prompt", "watches"];

/** Kinds that a part of a saved sequence may have. */
function isFine(part: string, value: unknown): boolean {
  if (part === "params" || part === "sets")
    return (
      value instanceof Date ||
      (typeof value === "object" &&
        Object.keys(value ?? []).length === 0 &&
        !Array.isArray(value) &&
        !(value instanceof Map) &&
        value !== null)
    );
  if (part === "step" || part === "promptLength") return value === 5;
  return ["history", "states", "prompt", "watches"].includes(part) && Array.isArray(value) && value.length === 0;
}
