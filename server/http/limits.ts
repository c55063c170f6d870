/** What a request may be, before any route reads it: the one table of these limits, which docs/server.md shows. */

interface Limit {
  readonly most: number;
  /** What it counts. */
  readonly counts: string;
}

export const REQUEST_LIMITS = {
  urlLength: { most: 8192, counts: "characters of the address" },
  headerBytes: { most: 16_384, counts: "bytes of the address and all headers" },
  bodyBytes: { most: 2 ** 20, counts: "bytes of a body" },
  depth: { most: 192, counts: "levels of lists and objects in each other" },
  members: { most: 8192, counts: "members of an object" },
  tokenMembers: { most: 2 ** 16, counts: "members of an object in `logit_bias` and `sampler_inputs`: one for a token" },
  items: { most: 2 ** 18 + 2 ** 15, counts: "items of a list: one for each token of the largest vocabularies" },
  nameLength: { most: 1024, counts: "characters of the name of a member" },
  messageValues: {
    most: 2 ** 15,
    counts: "values in `messages` or `input`: a message of a role and a text has three",
  },
  values: { most: 2 ** 18 + 2 ** 16, counts: "values, with those in lists and objects" },
} as const satisfies Readonly<Record<string, Limit>>;

/** Milliseconds that a request may take to arrive; against clients that send slowly. */
export const REQUEST_TIMES = {
  /** From the connection, or the first byte of a later request, to the end of the headers. */
  headers: 10_000,
  /** Between two bytes of a body. */
  stall: 10_000,
  /** The whole request. */
  request: 60_000,
  /** A connection without a request. */
  idle: 72_000,
} as const;

/** Milliseconds between two looks at how long requests have taken. */
export const LOOK_EVERY = 1000;

export type LimitName = keyof typeof REQUEST_LIMITS;

export const most = (name: LimitName): number => REQUEST_LIMITS[name].most;
