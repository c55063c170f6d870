/** Requests at a marked place of a text, to the built language server. */
import { afterAll, beforeAll, expect } from "@jest/globals";
import type { Diagnostic, Hover } from "vscode-languageserver";
import { marked, startClient, type Client } from "./client.js";

interface Opened {
  readonly name: string;
  readonly text: string;
  readonly params: object;
  readonly diagnostics: readonly Diagnostic[];
}

/** A server for the tests of a suite. */
export function useServer() {
  let started: Client | undefined;
  beforeAll(async () => {
    started = await startClient();
  });
  afterAll(async () => {
    expect(await started!.stop()).toBe(0);
  });
  const client = (): Client => started!;

  let count = 0;
  /** Opens a text under a new name, with `¦` at the position of the request. */
  async function openMarked(given: string): Promise<Opened> {
    const name = `t${count++}.ggsl`;
    const { text, position } = marked(given);
    const diagnostics = await client().open(name, text);
    return { name, text, params: { textDocument: { uri: client().uri(name) }, position }, diagnostics };
  }

  async function at<T>(method: string, given: string, more: object = {}): Promise<T> {
    const { params } = await openMarked(given);
    return client().request<T>(`textDocument/${method}`, { ...params, ...more });
  }
  return { client, openMarked, at };
}

export const valueOf = (hover: Hover | null): string => (hover ? (hover.contents as { value: string }).value : "");

export const SAMPLER = `/// Keeps the likely ones.
sampler likely(p: f32 in [0, 1] = 0.1, static k: i32 = 4) {
  top k
  let share = prob / max(prob)
  keep share >= p
}
`;

export const SETS = `input source: tokens(8)
const digits = tokens(/^[0-9]+$/, 7)

sampler counting(banned: tokens(4), n: i32 in [0, 8] = 4) {
  keep token in digits and token not in banned
  logit -= occurrences(n, in: source) + occurrences(n, in: generated)
  keep token not in tokens.control
  if n > 2 { measure rows = n }
  state total: i32 = 0
  after pick { total += 1 }
}

chain c(banned: tokens(4)) = counting(banned)

test "t" {
  logits [1, 2]
  input source [1]
  run c(tokens(1))
  expect measure rows [2]
  expect state total [1]
}
`;

export const FUNCTION = `/// How near.
fn near(
  /// What is compared.
  x: f32,
  best: f32 = 1,
) -> f32 {
  let ratio = x / best
  ratio * sum i in 1..3: i * repeat 2 with y = ratio: y / i
}

sampler s() {
  keep near(prob, max(prob)) >= 0.1
}
`;
