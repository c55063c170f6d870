/** A table of arguments: a value of each kind, and which ones an argument takes. */

/** A value of each kind, by name. */
export const KINDS: Readonly<Record<string, unknown>> = {
  null: null,
  integer: 5,
  fraction: 1.5,
  negative: -1,
  NaN: NaN,
  infinite: Infinity,
  text: "no such name",
  boolean: true,
  object: {},
  list: [],
  texts: ["a", "b"],
  map: new Map([["a", "b"]]),
  function: () => 1,
  symbol: Symbol("s"),
  bigint: 2n,
  date: new Date(0),
};

export interface Entry {
  /** What is called with the value; awaited. */
  readonly call: (value: never) => unknown;
  /** Kinds that this argument takes. */
  readonly takes?: readonly (keyof typeof KINDS)[];
  /** Further values that it does not take. */
  readonly refuses?: readonly unknown[];
}

export const TEXT = ["text"] as const;
export const EMPTY_OPTIONS = ["object", "date", "map"] as const;

export const option =
  (run: (options: never) => unknown, name: string) =>
  (value: unknown): unknown =>
    run({ [name]: value } as never);

const RANGES = { contextSize: [0, 2 ** 25], threads: [0, 513], batchThreads: [0, 513], cacheTypeK: ["f15"] } as const;
export const COUNTS = { takes: ["integer"] } as const;

/** The settings of contexts, at an entry point that takes them. */
export const settings = (name: string, run: (options: never) => unknown): [string, Entry][] => [
  ...(["contextSize", "threads", "batchThreads"] as const).map((key): [string, Entry] => [
    `${name}: ${key}`,
    { call: option(run, key), ...COUNTS, refuses: RANGES[key] },
  ]),
  ...(["cacheTypeK", "cacheTypeV", "flashAttention"] as const).map((key): [string, Entry] => [
    `${name}: ${key}`,
    { call: option(run, key), refuses: ["f15"] },
  ]),
];
