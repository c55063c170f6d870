/**
 * The logits processors of Hugging Face transformers, vLLM and ChatRWKV, written here a second time, against the standard samplers:
 * random vocabularies, logits, prompts and continuations.
 */
import { describe, expect, test } from "@jest/globals";
import { compile } from "../../runtime/chain.js";
import { createEvaluator } from "../../runtime/evaluate.js";
import { random, type Random } from "../parity/random.js";

const BACKENDS = ["reference", "cpu", "wasm"] as const;
const CASES = 25;
const STEPS = 6;

interface Text {
  readonly prompt: readonly number[];
  readonly generated: readonly number[];
}

/** Logits after the processor, -Infinity for banned tokens. */
type Processor = (scores: readonly number[], text: Text) => number[];

interface Case {
  /** Stages of the standard library. */
  readonly stages: string;
  readonly processor: Processor;
  readonly inputs?: Readonly<Record<string, Float32Array>>;
}

const MASKED = -Infinity;
const all = ({ prompt, generated }: Text): number[] => [...prompt, ...generated];
const without = (scores: readonly number[], isBanned: (token: number) => boolean): number[] =>
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

const PROCESSORS: Readonly<Record<string, Maker>> = {
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
};

/** A keep that no row fulfils keeps the best one. */
const orBest = (processed: readonly number[], scores: readonly number[]): number[] =>
  processed.some((score) => score > MASKED)
    ? [...processed]
    : without(scores, (token) => token !== scores.indexOf(Math.max(...scores)));

const programOf = (stages: string): string =>
  `import { ${[...new Set(stages.match(/[a-z_]+(?=\()/g))].filter((name) => name !== "tokens").join(", ")} } from "std"
chain c() = ${stages}`;

describe.each(Object.entries(PROCESSORS))("%s", (_, make) => {
  test.each(BACKENDS)("on %s", (backend) => {
    const r = random(7);
    for (let i = 0; i < CASES; i++) {
      const size = [5, 12, 33][r.below(3)]!;
      const { stages, processor, inputs = {} } = make(r, size);
      const prompt = Array.from({ length: 3 + r.below(4) }, () => r.below(4));
      const vocabulary = Array.from({ length: size }, (_, token) => `t${token}`);
      const { rowsGraph } = compile(programOf(stages));
      using evaluator = createEvaluator(rowsGraph, size, { backend, history: prompt, feed: { inputs, vocabulary } });
      const generated: number[] = [];
      for (let step = 0; step < STEPS; step++) {
        const scores = Array.from(Float32Array.from({ length: size }, () => 3 * r.normal()));
        const found = scores.map(() => MASKED);
        for (const { token, logit } of evaluator.evaluate(scores).candidates) found[token] = logit;
        const wanted = orBest(processor(scores, { prompt, generated }), scores);
        const differences = wanted.map((score, token) =>
          score === found[token] ? 0 : Math.abs(score - found[token]!),
        );
        if (Math.max(...differences) >= 1e-4)
          expect({ stages, prompt, generated, rows: found }).toEqual({ rows: wanted });
        const token = r.below(3) ? r.below(Math.min(size, 4)) : r.below(size);
        generated.push(token);
        evaluator.accept(token);
      }
    }
  });
});

describe("WatermarkLogitsProcessor, whatever its hash", () => {
  test.each(BACKENDS)("a part of the vocabulary, which the last token determines, gains the bias: on %s", (backend) => {
    const [size, gamma, delta] = [2000, 0.25, 1.5];
    const { rowsGraph } = compile(programOf(`watermark(15485863, ${gamma}, ${delta})`));
    const r = random(3);
    const scores = Array.from(Float32Array.from({ length: size }, () => r.normal()));
    const greenAfter = (history: readonly number[]): number[] => {
      using evaluator = createEvaluator(rowsGraph, size, { backend, history });
      const gains = evaluator
        .evaluate(scores)
        .candidates.map(({ token, logit }) => ({ token, gain: logit - scores[token]! }));
      const green = gains.filter(({ gain }) => gain > delta / 2);
      expect(Math.max(...green.map(({ gain }) => Math.abs(gain - delta)))).toBeLessThan(1e-5);
      expect(gains.filter(({ gain }) => gain !== 0).length).toBe(green.length);
      return green.map(({ token }) => token).sort((a, b) => a - b);
    };
    const lists = Array.from({ length: 8 }, (_, last) => greenAfter([last]));
    for (const { length } of lists) expect(Math.abs(length / size - gamma)).toBeLessThan(0.05);
    expect(new Set(lists.map((list) => list.join())).size).toBe(lists.length);
    expect(greenAfter([7, 1999, 3])).toEqual(lists[3]);
  });
});
