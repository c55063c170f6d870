/** Writes settings of llama.cpp as the words of a command line, and as a request to its server. */
import { fieldOf } from "@ggsl/compiler/llama/fields.js";
import { numberText } from "../from/write.js";
import { statedValues, type LlamaExport } from "./llama.js";

/** The words of a command line, or why a command line cannot express it. */
export function toFlags(
  e: LlamaExport,
): { readonly words: readonly string[] } | { readonly reasons: readonly string[] } {
  const reasons: string[] = [];
  const words = ["--samplers", e.order.join(";")];
  for (const [name, value] of statedValues(e.values)) {
    const [flag] = fieldOf(name).flags;
    if (flag === undefined) reasons.push(`llama.cpp's command line has no option for ${name}; a request has (--json)`);
    else words.push(flag, numberText(value));
  }
  if (e.breakers) {
    if (e.breakers.includes("none")) reasons.push('llama.cpp\'s command line takes the breaker "none" for no breakers');
    const texts = e.breakers.length === 0 ? ["none"] : e.breakers.map(escape);
    for (const one of texts.flatMap((text) => ["--dry-sequence-breaker", text])) words.push(one);
  }
  if (e.thinking)
    reasons.push("llama.cpp's command line has no option for the tags of a thought; a request has (--json)");
  if (e.biases.some(({ token }) => typeof token === "string"))
    reasons.push("llama.cpp's command line has biases by ids only; a request also has texts (--json)");
  if (e.ignoreEos) words.push("--ignore-eos");
  for (const { token, bias } of e.biases) words.push("--logit-bias", `${token}${bias < 0 ? "" : "+"}${biasText(bias)}`);
  if (e.grammar !== undefined) words.push("--grammar", e.grammar);
  if (e.seed !== undefined) words.push("--seed", String(e.seed));
  return reasons.length > 0 ? { reasons } : { words };
}

const biasText = (bias: number): string => (bias === -Infinity ? "-inf" : numberText(bias));

/** Escapes a breaker, because llama.cpp resolves escapes in breakers. */
const escape = (text: string): string =>
  text.replace(/[\\\n\r\t]/g, (c) => ({ "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" })[c]!);

/** Words for a shell, on one line. */
export const shellText = (words: readonly string[]): string => words.map(shellWord).join(" ");

const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** The fields of a request. */
export function toRequest(e: LlamaExport): Record<string, unknown> {
  return {
    samplers: e.order,
    ...Object.fromEntries(statedValues(e.values)),
    // the server rejects an empty list, and ignores empty texts
    ...(e.breakers && { dry_sequence_breakers: e.breakers.length === 0 ? [""] : e.breakers }),
    ...(e.biases.length > 0 && {
      logit_bias: e.biases.map(({ token, bias }) => [token, bias === -Infinity ? false : bias]),
    }),
    ...(e.ignoreEos && { ignore_eos: true }),
    ...(e.thinking && {
      reasoning_budget_tokens: e.thinking.budget,
      reasoning_budget_start_tag: e.thinking.open,
      reasoning_budget_end_tag: e.thinking.close,
      ...(e.thinking.message !== undefined && { reasoning_budget_message: e.thinking.message }),
    }),
    ...(e.grammar !== undefined && { grammar: e.grammar }),
    ...(e.seed !== undefined && { seed: e.seed }),
  };
}
