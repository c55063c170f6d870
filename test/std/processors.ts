/**
 * The logits processors of Hugging Face transformers, vLLM, SGLang and ChatRWKV, with random parameters: the stages that do the same, and
 * their arithmetic, written a second time.
 */
import { hashOf } from "../../compiler/graph/hash.js";
import type { Random } from "../parity/random.js";

/** The most tokens that a test generates. */
export const STEPS = 6;

interface Text {
  readonly prompt: readonly number[];
  readonly generated: readonly number[];
}

/** Logits after the processor, -Infinity for banned tokens. */
type Processor = (scores: readonly number[], text: Text) => number[];

export interface Case {
  /** The file below `examples/` that declares the samplers; those of the standard library without it. */
  readonly example?: string;
  readonly stages: string;
  readonly processor: Processor;
  /** The texts of the first tokens; the others are "t3" and so on. */
  readonly texts?: readonly string[];
  /** How far a logit may differ; 1e-4 without it. */
  readonly tolerance?: number;
  readonly inputs?: Readonly<Record<string, Float32Array>>;
}

export const MASKED = -Infinity;

const all = ({ prompt, generated }: Text): number[] => [...prompt, ...generated];
export const without = (scores: readonly number[], isBanned: (token: number) => boolean): number[] =>
  scores.map((score, token) => (isBanned(token) ? MASKED : score));

const some = (r: Random, size: number, most: number): number[] => [
  ...new Set(Array.from({ length: 1 + r.below(most) }, () => r.below(size))),
];

/** Different sequences of tokens that random texts often complete. */
function sequencesOf(r: Random, size: number): number[][] {
  const lists = Array.from({ length: 1 + r.below(6) }, () =>
    Array.from({ length: 1 + r.below(3) }, () => r.below(Math.min(size, 4))),
  );
  return [...new Map(lists.map((list) => [list.join(), list])).values()];
}

/** Ids and texts: the text of token 3 is "t3". */
const setOf = (r: Random, tokens: readonly number[]): string =>
  `tokens(${tokens.map((token) => (r.below(2) ? token : `"t${token}"`)).join(", ")})`;

/** SequenceBiasLogitsProcessor: a bias for each sequence. It leaves out sequences that are longer than the text. */
function sequenceBias(biases: readonly (readonly [sequence: readonly number[], bias: number])[]): Processor {
  return (scores, text) => {
    const ids = all(text);
    const bias = scores.map(() => 0);
    for (const [sequence, amount] of biases) {
      const last = sequence[sequence.length - 1]!;
      const prefix = sequence.slice(0, -1);
      const end = ids.slice(ids.length - prefix.length);
      if (prefix.length === 0 || prefix.every((token, i) => token === end[i])) bias[last]! += amount;
    }
    return scores.map((score, token) => score + bias[token]!);
  };
}

const logSoftmax = (scores: readonly number[]): number[] => {
  const most = Math.max(...scores);
  const total = scores.reduce((sum, score) => sum + Math.exp(score - most), 0);
  return scores.map((score) => score - most - Math.log(total));
};

/** The length of a text since it last ended with a sequence, -1 if it never did. */
function lengthSince(ids: readonly number[], sequence: readonly number[]): number {
  for (let end = ids.length; end >= sequence.length; end--)
    if (sequence.every((token, i) => token === ids[end - sequence.length + i])) return ids.length - end;
  return -1;
}

type Maker = (r: Random, size: number) => Case;

export const PROCESSORS: Readonly<Record<string, Maker>> = {
  SequenceBiasLogitsProcessor: (r, size) => {
    const biases = sequencesOf(r, size).map((sequence) => [sequence, [-1.5, 0.25, 4][r.below(3)]!] as const);
    const amounts = [...new Set(biases.map(([, amount]) => amount))];
    const listOf = (amount: number): string =>
      JSON.stringify(biases.flatMap(([sequence, of]) => (of === amount ? [sequence] : [])));
    return {
      stages: amounts.map((amount) => `sequence_bias(${listOf(amount)}, ${amount})`).join(" |> "),
      processor: sequenceBias(biases),
    };
  },

  NoBadWordsLogitsProcessor: (r, size) => {
    const words = sequencesOf(r, size);
    return {
      stages: `bad_words(${JSON.stringify(words)})`,
      processor: sequenceBias(words.map((word) => [word, -Infinity])),
    };
  },

  "vLLM's allowed_token_ids": (r, size) => {
    const allowed = some(r, size, 5);
    return {
      stages: `allowed_tokens(${setOf(r, allowed)})`,
      processor: (scores) => without(scores, (token) => !allowed.includes(token)),
    };
  },

  "MinNewTokensLengthLogitsProcessor, vLLM's min_tokens": (r, size) => {
    const [eos, least] = [some(r, size, 3), r.below(STEPS + 2)];
    return {
      stages: `min_tokens(${least}, ${setOf(r, eos)})`,
      processor: (scores, { generated }) =>
        generated.length < least ? without(scores, (token) => eos.includes(token)) : [...scores],
    };
  },

  SuppressTokensAtBeginLogitsProcessor: (r, size) => {
    const banned = some(r, size, 4);
    return {
      stages: `suppress_begin(${setOf(r, banned)})`,
      processor: (scores, { generated }) =>
        generated.length === 0 ? without(scores, (token) => banned.includes(token)) : [...scores],
    };
  },

  ForcedBOSTokenLogitsProcessor: (r, size) => {
    const bos = r.below(size);
    return {
      stages: `forced_begin(${setOf(r, [bos])})`,
      processor: (scores, { generated }) =>
        generated.length === 0 ? without(scores, (token) => token !== bos) : [...scores],
    };
  },

  ForcedEOSTokenLogitsProcessor: (r, size) => {
    const [eos, length] = [some(r, size, 2), r.below(STEPS + 2)];
    return {
      stages: `forced_end(${length}, ${setOf(r, eos)})`,
      processor: (scores, { prompt, generated }) => {
        const maxLength = prompt.length + length;
        return prompt.length + generated.length === maxLength - 1
          ? without(scores, (token) => !eos.includes(token))
          : [...scores];
      },
    };
  },

  "a thinking budget": (r, size) => {
    const [open, close] = [[r.below(3)], [r.below(3), r.below(3)]];
    const [end, budget] = [r.below(size), r.below(4)];
    return {
      stages: `thinking_budget(${budget}, ${JSON.stringify(open)}, ${JSON.stringify(close)}, ${setOf(r, [end])})`,
      processor: (scores, text) => {
        const ids = all(text);
        const [opened, closed] = [lengthSince(ids, open), lengthSince(ids, close)];
        const isThinking = opened >= 0 && (closed < 0 || closed > opened);
        return isThinking && opened >= budget ? without(scores, (token) => token !== end) : [...scores];
      },
    };
  },

  "a temperature of thoughts": (r) => {
    const [open, close] = [[r.below(3)], [r.below(3), r.below(3)]];
    const [thinking, answering] = [Math.fround(0.2 + r.uniform()), Math.fround(0.2 + r.uniform())];
    return {
      stages: `by_phase(${thinking}, ${answering}, ${JSON.stringify(open)}, ${JSON.stringify(close)})`,
      processor: (scores, text) => {
        const ids = all(text);
        const endsWith = (end: number, part: readonly number[]): boolean =>
          end >= part.length && part.every((id, i) => ids[end - part.length + i] === id);
        let isThinking = false;
        for (let end = 1; end <= ids.length; end++)
          isThinking = !endsWith(end, close) && (isThinking || endsWith(end, open));
        return scores.map((score) => score / (isThinking ? thinking : answering));
      },
    };
  },

  MinKLogitsProcessor: (r) => {
    const tau = Math.fround(4 * r.uniform());
    return {
      stages: `min_k(${tau})`,
      processor: (scores) => {
        const sorted = [...scores].sort((a, b) => b - a);
        const range = sorted[0]! - sorted.at(-1)! + 1e-8;
        let [cliff, steepest] = [1, -1];
        for (let k = 1; k < sorted.length; k++) {
          const decay = (sorted[k - 1]! - sorted[k]!) / range / k;
          if (decay > steepest) [cliff, steepest] = [k, decay];
        }
        const least = sorted[Math.min(Math.max(cliff, Math.floor(tau / range)), sorted.length) - 1]!;
        return without(scores, (token) => scores[token]! < least);
      },
    };
  },

  "p-less norm": () => ({
    stages: "p_less_norm()",
    processor: (scores) => {
      const probs = logSoftmax(scores).map(Math.exp);
      const threshold = (scores.length * probs.reduce((sum, p) => sum + p * p, 0) - 1) / (scores.length - 1);
      return without(scores, (token) => probs[token]! < threshold);
    },
  }),

  "entropix, adaptive temperature": (r) => {
    const [t, rate] = [Math.fround(0.1 + r.uniform()), Math.fround(r.uniform())];
    return {
      stages: `dynamic_temp_by_varentropy(${t}, ${rate})`,
      processor: (scores) => {
        // the second moment of the surprise, where the program has the first about the mean
        const bits = logSoftmax(scores).flatMap((x) =>
          x === -Infinity ? [] : { p: Math.exp(x), bits: -x / Math.LN2 },
        );
        const [first, second] = [1, 2].map((k) => bits.reduce((sum, x) => sum + x.p * x.bits ** k, 0)) as [
          number,
          number,
        ];
        return scores.map((x) => x / (t * (1 + rate * (first + second - first * first))));
      },
    };
  },

  TopHLogitsWarper: (r) => {
    const h = Math.fround(0.05 + 0.9 * r.uniform());
    const topN = 1 + r.below(30);
    return {
      stages: `top_h(${h}, ${topN})`,
      processor: (scores) => {
        const order = scores.map((_, token) => token).sort((a, b) => scores[b]! - scores[a]!);
        const top = order.slice(0, topN);
        const logs = logSoftmax(top.map((token) => scores[token]!));
        const terms = logs.map((log) => -Math.exp(log) * log);
        const tau = h * terms.reduce((a, b) => a + b, 0);
        let cumulative = 0;
        const kept = top.filter((_, i) => {
          cumulative += terms[i]!;
          return i === 0 || cumulative <= tau;
        });
        return without(scores, (token) => !kept.includes(token));
      },
    };
  },

  UnbatchedClassifierFreeGuidanceLogitsProcessor: (r, size) => {
    const scale = Math.fround(3 * r.uniform());
    const negative = Float32Array.from({ length: size }, () => 3 * r.normal());
    return {
      stages: `cfg(${scale})`,
      inputs: { negative },
      processor: (scores) => {
        const unconditional = logSoftmax([...negative]);
        return logSoftmax(scores).map((log, token) => scale * (log - unconditional[token]!) + unconditional[token]!);
      },
    };
  },

  "ChatRWKV's penalties": (r) => {
    const [frequency, presence] = [Math.fround(r.normal()), Math.fround(r.normal())];
    const decay = Math.fround(r.uniform());
    return {
      stages: `fading_penalties(${frequency}, ${presence}, ${decay}, last_n: ${STEPS + r.below(3)})`,
      processor: (scores, { generated }) => {
        const occurrence = new Map<number, number>();
        for (const token of generated) {
          for (const [other, amount] of occurrence) occurrence.set(other, amount * decay);
          occurrence.set(token, 1 + (occurrence.get(token) ?? 0));
        }
        return scores.map((score, token) =>
          occurrence.has(token) ? score - (presence + occurrence.get(token)! * frequency) : score,
        );
      },
    };
  },

  "SGLang's DeepSeekR1ThinkingBudgetLogitProcessor": (r) => {
    const [open, close, newline, budget] = [0, 1, 2, r.below(4)];
    return {
      example: "text-rules",
      texts: ["<think>", "</think>", "\n"],
      stages: `deepseek_budget(${budget})`,
      processor: (scores, text) => {
        const ids = all(text);
        const [opened, closed] = [lengthSince(ids, [open]), lengthSince(ids, [close])];
        if (opened < budget || (closed >= 0 && closed <= opened)) return [...scores];
        const forced = ids.at(-1) === newline ? close : newline;
        return without(scores, (token) => token !== forced);
      },
    };
  },

  WhisperTimeStampLogitsProcessor: (r, size) => {
    const begin = Math.min(3, size - 2);
    const [eos, mostAtStart] = [r.below(begin - 1), r.below(3)];
    return {
      example: "text-rules",
      stages: `time_stamps(${begin}, ${eos}, ${mostAtStart})`,
      processor: (input, { generated }) => {
        const scores = without(input, (token) => token === begin - 1);
        const mask = (from: number, to: number): unknown => scores.fill(MASKED, from, to);
        const wasStamp = generated.length >= 1 && generated.at(-1)! >= begin;
        const penultimateWasStamp = generated.length < 2 || generated.at(-2)! >= begin;
        if (wasStamp) {
          if (penultimateWasStamp) mask(begin, size);
          else mask(0, eos);
        }
        const stamps = generated.filter((token) => token >= begin);
        if (stamps.length > 0) mask(begin, wasStamp && !penultimateWasStamp ? stamps.at(-1)! : stamps.at(-1)! + 1);
        if (generated.length === 0) {
          mask(0, begin);
          mask(begin + mostAtStart + 1, size);
        }
        const mass = (from: number, to: number): number[] => scores.slice(from, to).map(Math.exp);
        const ofStamps = mass(begin, size).reduce((a, b) => a + b, 0);
        if (ofStamps > Math.max(...mass(0, begin))) mask(0, begin);
        return scores;
      },
    };
  },

  EncoderRepetitionPenaltyLogitsProcessor: (r) => {
    const given = Math.fround(0.5 + r.uniform());
    const penalty = 1 / given;
    return {
      example: "prompt-penalties",
      stages: `encoder_penalty(${given})`,
      processor: (scores, { prompt }) =>
        scores.map((score, token) => {
          if (!prompt.includes(token)) return score;
          return score < 0 ? score * penalty : score / penalty;
        }),
    };
  },

  EncoderNoRepeatNGramLogitsProcessor: (r) => {
    const size = 2 + r.below(2);
    return {
      example: "prompt-penalties",
      stages: `encoder_no_repeat_ngram(${size})`,
      processor: (scores, text) => {
        const { prompt } = text;
        const before = all(text).slice(1 - size);
        const banned = prompt.filter((_, i) => i >= size - 1 && before.every((t, j) => t === prompt[i - size + 1 + j]));
        return without(scores, (token) => banned.includes(token));
      },
    };
  },

  "SynthIDTextWatermarkLogitsProcessor, with our hash": (r) => {
    const [secret, rounds] = [r.below(2 ** 24), 1 + r.below(4)];
    return {
      example: "tournament",
      stages: `tournament(${secret}, ${rounds})`,
      // small probabilities are differences of numbers near 1
      tolerance: 1e-2,
      processor: (scores, text) => {
        const key = hashOf(secret, ...all(text).slice(-3));
        let probs = logSoftmax(scores).map(Math.exp);
        for (let round = 1; round <= rounds; round++) {
          const g = probs.map((_, token) => hashOf(key, round, token) % 2);
          const mass = probs.reduce((sum, p, token) => sum + p * g[token]!, 0);
          probs = probs.map((p, token) => p * (1 + g[token]! - mass));
        }
        return probs.map(Math.log);
      },
    };
  },
};
