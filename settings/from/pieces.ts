/** Samplers that an import declares because the standard library lacks them. */
import { numberText, setText } from "./write.js";
import type { Bias, ImportedGrammar, List, Stage, TokenSet, Uniform } from "./plan.js";
import { hasPenalties, strengths, uniform, type Dry, type PenaltyNames, type Penalties } from "./stages.js";

/** The maximum number of tokens with biases in a program, and of all lists of tokens: what a list may have. */
export const MAX_LISTED = 4096;
/** The maximum numbers of biases that a program states one by one, since each adds several nodes, and of sets, a column each. */
const MAX_BIASES = 300;
const MAX_SETS = 128;
/** From so many tokens on, a set is cheaper than a comparison for each of them. */
const MIN_SET = 3;

interface Group {
  readonly bias: number;
  readonly tokens: Set<number | string>;
}

/** Tokens by their bias. A token that has the same bias twice is in two groups, since biases add up. */
function groupsOf(list: readonly Bias[]): Group[] {
  const groups = new Map<number, Group[]>();
  const rounds = new Map<string, number>();
  for (const { token, bias } of list) {
    const round = rounds.get(`${token} ${bias}`) ?? 0;
    if (round > 0 && bias === -Infinity) continue;
    rounds.set(`${token} ${bias}`, round + 1);
    const same = groups.get(bias) ?? [];
    groups.set(bias, same);
    (same[round] ??= { bias, tokens: new Set() }).tokens.add(token);
  }
  return [...groups.values()].flat();
}

/** A text is always looked up in a set. */
const isSmall = ({ tokens }: Group): boolean =>
  tokens.size < MIN_SET && [...tokens].every((token) => typeof token === "number");

/** Whether a program can state the biases. */
export function areStated(list: readonly Bias[]): boolean {
  if (list.length > MAX_LISTED) return false;
  const groups = groupsOf(list);
  const single = groups.filter(isSmall).reduce((sum, { tokens }) => sum + tokens.size, 0);
  return single <= MAX_BIASES && groups.length <= MAX_SETS + single;
}

/** Adds biases to logits of single tokens; minus infinity bans a token. */
export function biases(list: readonly Bias[], further: readonly string[] = []): Stage[] {
  const statements = groupsOf(list).flatMap((group) => {
    const { bias, tokens } = group;
    const add = (which: string): string => `logit += ${which} ? ${numberText(bias)} : 0`;
    if (!isSmall(group)) {
      const set = setText({ tokens: [...tokens] });
      return [bias === -Infinity ? `keep token not in ${set}` : add(`token in ${set}`)];
    }
    return [...tokens].map((token) => {
      const set = { tokens: [token] };
      return bias === -Infinity ? `keep ${isNot(set)}` : add(isOneOf(set));
    });
  });
  const all = [...statements, ...further];
  return all.length === 0 ? [] : [own("logit_biases", "The request's logit biases.", all)];
}

/** Bans the tokens of the list. */
export const bans = (name: string, doc: string, tokens: readonly number[]): Stage[] =>
  tokens.length === 0 ? [] : [own(name, doc, [`keep ${isNot({ tokens })}`])];

/** Whether the row's token is one of these. */
const isOneOf = (set: TokenSet): string => {
  const [only, ...more] = set.tokens === "end" ? [] : set.tokens;
  return typeof only === "number" && more.length === 0 ? `token == ${only}` : `token in ${setText(set)}`;
};

const isNot = (set: TokenSet): string =>
  isOneOf(set)
    .replace("==", "!=")
    .replace(/^token in/, "token not in");

/** A sampler without parameters. */
const own = (name: string, doc: string, statements: readonly string[]): Stage => ({
  name,
  args: {},
  declaration: `/// ${doc}\nsampler ${name}() {\n${statements.map((s) => `  ${s}`).join("\n")}\n}`,
});

/** A count of tokens, which can be set for each request. */
const length = (name: string, value: number, range: string): Uniform => ({ uniform: name, type: "i32", range, value });

/** Bans the tokens until `least` tokens are generated; `key` is the setting's name. */
export const noEndBefore = (key: string, least: number, ends: readonly TokenSet[]): Stage[] =>
  least <= 0
    ? []
    : ends.map((end) => ({
        name: "min_tokens",
        args: { length: length(key, least, ">= 0"), ...(end.tokens !== "end" && { end }) },
      }));

/** Bans the tokens until the text, with its prompt, has `least` tokens. */
export const noEndOfShortText = (least: number, end: TokenSet): Stage[] =>
  least <= 0
    ? []
    : [
        {
          name: "min_length",
          args: { wanted: length("min_length", least, ">= 0") },
          declaration: `/// No end of the text before it has \`wanted\` tokens, those of the prompt included.
sampler min_length(wanted: i32 >= 0) {
  keep prompt_length + step >= wanted or ${isNot(end)}
}`,
        },
      ];

/** Bans the tokens as the first generated token. */
export const notAtStart = (tokens: readonly number[]): Stage[] =>
  tokens.length === 0 ? [] : [{ name: "suppress_begin", args: { banned: { tokens } } }];

/** Bans all other tokens. */
export const onlyTokens = (tokens: readonly number[]): Stage[] => [
  { name: "allowed_tokens", args: { only: { tokens } } },
];

/** At most `budget` tokens of thought, between the tags; `key` is the setting's name. */
export const thinkingBudget = (key: string, budget: number, open: string, close: string, message = ""): Stage[] => [
  {
    name: "thinking_budget",
    args: {
      budget: length(key, budget, ">= 0"),
      open: [open],
      close: [close],
      end: { tokens: [close] },
      ...(message !== "" && { message: message + close }),
    },
  },
];

/** Forces tokens where the text, with its prompt, has so many tokens. */
export const forcedAt = (
  name: string,
  doc: string,
  forced: readonly { readonly at: number; readonly token: number }[],
): Stage[] =>
  forced.length === 0
    ? []
    : [
        own(
          name,
          doc,
          forced.map(({ at, token }) => `keep prompt_length + step != ${at} or token == ${token}`),
        ),
      ];

/** Forces one of the tokens as the last one of a text of so many tokens, generated ones or all. Several are equally likely. */
export function forcedEnd(key: string, most: number, counts: "generated" | "all", tokens: readonly number[]): Stage[] {
  const at = counts === "all" ? "prompt_length + step" : "step";
  const body = [
    `keep ${at} != most - 1 or ${isOneOf({ tokens })}`,
    ...(tokens.length > 1 ? [`logit = ${at} == most - 1 ? 0 : logit`] : []),
  ];
  return [
    {
      name: "forced_end",
      args: { most: length(key, most, ">= 1") },
      declaration: `/// The last of \`most\` tokens ends the text.
sampler forced_end(most: i32 >= 1) {
${body.map((line) => `  ${line}`).join("\n")}
}`,
    },
  ];
}

/** Bans the last token of each sequence: token ids, or texts, which the model's vocabulary cuts into tokens. */
/** Phrases that are not written, in upper or lower case. */
export const banPhrases = (phrases: readonly string[]): Stage[] =>
  phrases.length === 0 ? [] : [{ name: "ban_phrases", args: { list: { phrases } } }];

export const badWords = (words: List): Stage[] => (words.length === 0 ? [] : [{ name: "bad_words", args: { words } }]);

/** Adds biases to the last tokens of sequences. */
export function sequenceBiases(
  list: readonly { readonly tokens: readonly number[]; readonly bias: number }[],
): Stage[] {
  const groups = new Map<number, (readonly number[])[]>();
  for (const { tokens, bias } of list) groups.set(bias, [...(groups.get(bias) ?? []), tokens]);
  return [...groups].map(([delta, sequences]) => ({ name: "sequence_bias", args: { sequences, delta } }));
}

/** Only what the grammar accepts. */
export const grammar = ({ key, text }: ImportedGrammar): Stage[] => [
  { name: "constrain", args: { g: { uniform: key, type: "grammar", ...(text !== undefined && { value: text }) } } },
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

/** Penalties for generated tokens only. */
export const generatedPenalties = (freq: number, present: number): Stage[] =>
  freq === 0 && present === 0
    ? []
    : [
        {
          name: "generated_penalties",
          args: { freq: uniform("frequency_penalty", freq), present: uniform("presence_penalty", present) },
          declaration: `/// Lower tokens that were generated, by \`freq\` each time and by \`present\` once.
sampler generated_penalties(freq: f32 = 0, present: f32 = 0) {
  let count_of = occurrences(-1, in: generated)
  logit -= count_of * freq + (count_of > 0 ? present : 0)
}`,
        },
      ];

/** Raises the tokens of the prompt, as transformers' EncoderRepetitionPenaltyLogitsProcessor. */
export const promptReward = (strength: number): Stage[] =>
  strength === 1
    ? []
    : [
        {
          name: "encoder_penalty",
          args: { strength: uniform("encoder_repetition_penalty", strength, "> 0") },
          declaration: `/// Raise the tokens of the prompt: multiply positive logits by \`strength\`, divide the others.
sampler encoder_penalty(strength: f32 > 0) {
  let raised = logit < 0 ? logit / strength : logit * strength
  logit = occurrences(-1, in: prompt) > 0 ? raised : logit
}`,
        },
      ];

/** Bans n-grams of the prompt, as transformers' EncoderNoRepeatNGramLogitsProcessor. */
export const noPromptNgram = (size: number): Stage[] =>
  size <= 0
    ? []
    : [
        own("no_prompt_ngram", `No sequence of ${size} tokens of the prompt.`, [
          size === 1 ? "keep occurrences(-1, in: prompt) == 0" : `keep repeat_len(-1, [], in: prompt) < ${size - 1}`,
        ]),
      ];

/** Raises the logits of end-of-text tokens with the length of the text. */
export const lengthPenalty = (start: number, factor: number, end: TokenSet): Stage[] => [
  {
    name: "length_penalty",
    args: { start, factor: uniform("length_penalty_factor", factor, "> 0") },
    declaration: `/// Exponential decay length penalty: after \`start\` tokens the end of the text becomes likelier with each token.
/// Hugging Face transformers, ExponentialDecayLengthPenalty.
sampler length_penalty(start: i32 >= 0, factor: f32 > 0) {
  let is_end = ${isOneOf(end)}
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
