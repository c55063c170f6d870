/** Samplers that an import declares because the standard library lacks them. */
import { numberText, quote } from "./write.js";
import type { Bias, Stage } from "./plan.js";
import { hasPenalties, strengths, uniform, type Dry, type PenaltyNames, type Penalties } from "./stages.js";

/** The maximum number of biases in a program, since each statement adds several nodes. The feature `bias` has the same limit. */
export const MAX_BIASES = 300;

/** Adds biases to logits of single tokens; minus infinity bans a token. */
export function biases(list: readonly Bias[]): Stage[] {
  if (list.length === 0) return [];
  const statements = list.map(({ token, bias }) =>
    bias === -Infinity ? `keep token != ${token}` : `logit += token == ${token} ? ${numberText(bias)} : 0`,
  );
  return [own("logit_biases", "The request's logit biases.", statements)];
}

/** Bans the tokens of the list. */
export const bans = (name: string, doc: string, tokens: readonly number[]): Stage[] =>
  tokens.length === 0
    ? []
    : [
        own(
          name,
          doc,
          tokens.map((token) => `keep token != ${token}`),
        ),
      ];

/** A sampler without parameters. */
const own = (name: string, doc: string, statements: readonly string[]): Stage => ({
  name,
  args: {},
  declaration: `/// ${doc}\nsampler ${name}() {\n${statements.map((s) => `  ${s}`).join("\n")}\n}`,
});

/** Bans the tokens until `least` tokens are generated. */
export const noEndBefore = (least: number, tokens: readonly number[]): Stage[] =>
  least <= 0 || tokens.length === 0
    ? []
    : [
        {
          name: "min_tokens",
          args: { wanted: { uniform: "min_tokens", type: "i32", range: ">= 0", value: least } },
          declaration:
            "/// No end of the text before `wanted` tokens.\nsampler min_tokens(wanted: i32 >= 0) {\n" +
            `${tokens.map((t) => `  keep step >= wanted or token != ${t}`).join("\n")}\n}`,
        },
      ];

/** Bans the tokens as the first generated token. */
export const notAtStart = (tokens: readonly number[]): Stage[] =>
  tokens.length === 0
    ? []
    : [
        own(
          "suppressed_at_start",
          "Tokens that are banned as the first generated token.",
          tokens.map((token) => `keep step > 0 or token != ${token}`),
        ),
      ];

/** The maximum number of allowed tokens: each is a comparison in one condition. */
export const MAX_ALLOWED = 100;

/** Bans all other tokens. */
export const onlyTokens = (tokens: readonly number[]): Stage[] => [
  own("allowed_tokens", "Only these tokens.", [`keep ${tokens.map((token) => `token == ${token}`).join(" or ")}`]),
];

export const grammar = (text: string): Stage[] => [
  own("constrained", "Only what the grammar accepts.", [`keep allowed(${quote(text)})`]),
];

/** Penalties over the whole text, including the prompt. */
export const textPenalties = (names: PenaltyNames, p: Omit<Penalties, "lastN">): Stage[] =>
  !hasPenalties(p)
    ? []
    : [
        {
          name: "text_penalties",
          args: strengths(names, p),
          declaration: `/// As \`penalties\` of the standard library, over the whole text.
sampler text_penalties(repeat: f32 > 0 = 1, freq: f32 = 0, present: f32 = 0) {
  let count_of = occurrences(-1)
  let repeated = logit <= 0 ? logit * repeat : logit / repeat
  logit = count_of > 0 ? repeated - (count_of * freq + present) : logit
}`,
        },
      ];

/** A column with the count of each generated token, which the calling program feeds. */
export const GENERATED_INPUT = `/// How often each token was generated so far, without the prompt: set by the calling program before every token.
input generated: f32 sparse(4096) = 0`;

/** Penalties for generated tokens only; needs `GENERATED_INPUT`. */
export const generatedPenalties = (freq: number, present: number): Stage[] =>
  freq === 0 && present === 0
    ? []
    : [
        {
          name: "generated_penalties",
          args: { freq: uniform("frequency_penalty", freq), present: uniform("presence_penalty", present) },
          declaration: `/// Lower tokens that were generated, by \`freq\` each time and by \`present\` once.
sampler generated_penalties(freq: f32 = 0, present: f32 = 0) {
  logit -= generated * freq + (generated > 0 ? present : 0)
}`,
        },
      ];

/** Raises the logits of end-of-text tokens with the length of the text. */
export const lengthPenalty = (start: number, factor: number, eos: readonly number[]): Stage[] => [
  {
    name: "length_penalty",
    args: { start, factor: uniform("length_penalty_factor", factor, "> 0") },
    declaration: `/// Exponential decay length penalty: after \`start\` tokens the end of the text becomes likelier with each token.
/// Hugging Face transformers, ExponentialDecayLengthPenalty.
sampler length_penalty(start: i32 >= 0, factor: f32 > 0) {
  let is_end = ${eos.map((t) => `token == ${t}`).join(" or ")}
  logit += is_end and step > start ? abs(logit) * (factor ^ (step - start) - 1) : 0
}`,
  },
];

/** DRY over the whole text. */
export const textDry = ({ multiplier, base, allowedLength, breakers }: Omit<Dry, "lastN">): Stage[] =>
  multiplier === 0 || base < 1
    ? []
    : [
        {
          name: "text_dry",
          args: {
            multiplier: uniform("dry_multiplier", multiplier),
            base: uniform("dry_base", base, ">= 1"),
            allowed_length: allowedLength,
            breakers,
          },
          declaration: `/// As \`dry\` of the standard library, over the whole text.
sampler text_dry(multiplier: f32, base: f32 >= 1, allowed_length: i32 >= 1, static breakers: list) {
  let length = repeat_len(-1, breakers)
  // the largest power that is still a finite number
  let most = base > 1.000001 ? floor(88.7228391 / log(base)) : 1e9
  let penalty = multiplier * base ^ min(length - allowed_length, most)
  logit -= length >= allowed_length ? penalty : 0
}`,
        },
      ];
