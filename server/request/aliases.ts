/** Other tools' names of fields that this server has. */
interface Alias {
  /** The field that it is another name of. */
  readonly of: string;
  /** What it says where that depends on the path. */
  readonly means?: (value: unknown, endpoint: "chat" | "completions") => Readonly<Record<string, unknown>>;
}

const of = (name: string): Alias => ({ of: name });

export const ALIASES = {
  n_predict: of("max_tokens"),
  max_new_tokens: of("max_tokens"),
  min_new_tokens: of("min_tokens"),
  n_cmpl: of("n"),
  n_probs: {
    of: "logprobs",
    means: (count, endpoint) => (endpoint === "chat" ? { logprobs: true, top_logprobs: count } : { logprobs: count }),
  },
  stop_sequence: of("stop"),
  stopping_strings: of("stop"),
  sampler_seed: of("seed"),
  ban_eos_token: of("ignore_eos"),
  rep_pen: of("repeat_penalty"),
  penalty_last_n: of("repeat_last_n"),
  typical: of("typical_p"),
  nsigma: of("top_n_sigma"),
  tfs_z: of("tfs"),
  mirostat_mode: of("mirostat"),
} as const satisfies Readonly<Record<string, Alias>>;

export type AliasName = keyof typeof ALIASES;

/** What an alias says, by the names of the server; undefined for a name that is none. */
export function meaningOf(
  name: string,
  value: unknown,
  endpoint: "chat" | "completions",
): Readonly<Record<string, unknown>> | undefined {
  if (!Object.hasOwn(ALIASES, name)) return undefined;
  const { of: field, means }: Alias = ALIASES[name as AliasName];
  return means?.(value, endpoint) ?? { [field]: value };
}
