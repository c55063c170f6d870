/** The samplers of docs/gallery.md, and what each is shown on. */

export interface Entry {
  /** Of the standard library, or of a file in examples/gallery. */
  readonly name: string;
  readonly isStd: boolean;
  readonly year: number;
  /** In one sentence. */
  readonly about: string;
  /** As Markdown. */
  readonly source: string;
  readonly shown: Shown;
}

interface Given {
  /** The call that is shown. */
  readonly call: string;
  /** The texts of the tokens. */
  readonly tokens: readonly string[];
  /** What the picture shows, in words. */
  readonly caption: string;
  /** The tokens before, as the prompt. */
  readonly before?: readonly number[];
  /** Tokens that were generated after it. */
  readonly written?: readonly number[];
}

/** One place of a text: the probabilities before and after. */
interface AtPlace extends Given {
  readonly probs: readonly number[];
  /** The text was taken back because of phrases that begin with these. */
  readonly rejected?: readonly number[];
}

/** A text until it ends: the logits of each step. */
interface OverText extends Given {
  readonly steps: readonly (readonly number[])[];
  /** What is drawn: a measure of the chain; without one, the probability of the token. */
  readonly measure?: string;
}

type Shown = AtPlace | OverText;

const NOUNS = ["the", "a", "his", "her", "this", "my", "no", "any", "zebra", "%"];
/** One good token, some that are possible, and a tail. */
const USUAL = [0.34, 0.2, 0.14, 0.1, 0.08, 0.06, 0.04, 0.02, 0.012, 0.008];
const FLAT = [0.15, 0.14, 0.13, 0.12, 0.11, 0.1, 0.09, 0.08, 0.05, 0.03];

const THOUGHT = ["so", "Wait", "But", "two", "is", "</think>", "<think>"];
const [SO, , , TWO, IS, , OPEN] = THOUGHT.keys() as unknown as number[];

const arxiv = (id: string, who: string): string => `${who} ([arXiv ${id}](https://arxiv.org/abs/${id}))`;
const pull = (repository: string, number: number): string =>
  `[${repository} pull request ${number}](https://github.com/${repository}/pull/${number})`;

/** Logits of which one token has nearly all. */
const sure = (token: number, of: number, by = 6): number[] =>
  Array.from({ length: of }, (_, i) => (i === token ? by : 0));

export const ENTRIES: readonly Entry[] = [
  {
    name: "top_n_sigma",
    isStd: true,
    year: 2025,
    about:
      "Keep the tokens whose logit is within `n` standard deviations of the largest: noise in the tail has no say.",
    source: arxiv("2411.07641", "Tang et al., ACL 2025"),
    shown: {
      call: "top_n_sigma(1)",
      tokens: NOUNS,
      probs: USUAL,
      caption: "the tail is cut where the logits end that stand out",
    },
  },
  {
    name: "min_k",
    isStd: true,
    year: 2026,
    about: "Cut at the steepest drop of the sorted logits, where a drop counts less the further down it is.",
    source: arxiv("2604.11012", "Ding et al. 2026"),
    shown: {
      call: "min_k(0)",
      tokens: NOUNS,
      probs: [0.3, 0.28, 0.26, 0.05, 0.04, 0.03, 0.02, 0.01, 0.006, 0.004],
      caption: "three tokens before the steepest drop stay",
    },
  },
  {
    name: "p_less",
    isStd: true,
    year: 2025,
    about: "Keep the tokens that are at least as likely as two draws are to be equal: no parameter.",
    source: arxiv("2509.23234", "Tan et al. 2025"),
    shown: {
      call: "p_less()",
      tokens: NOUNS,
      probs: USUAL,
      caption: "tokens below the probability that two draws agree are dropped",
    },
  },
  {
    name: "p_less_norm",
    isStd: true,
    year: 2025,
    about:
      "`p_less` with a lower bound: the probability of agreement less that of two different tokens, spread over the vocabulary.",
    source: arxiv("2509.23234", "Tan et al. 2025"),
    shown: { call: "p_less_norm()", tokens: NOUNS, probs: USUAL, caption: "more tokens stay than with p_less" },
  },
  {
    name: "top_h",
    isStd: true,
    year: 2025,
    about:
      "Keep the likeliest tokens whose entropy together is at most a share `h` of the whole: few where the model is sure, many where it is not.",
    source: arxiv("2509.02510", "Baghaei Potraghloo et al. 2025"),
    shown: { call: "top_h(0.6)", tokens: NOUNS, probs: FLAT, caption: "of a flat distribution many tokens stay" },
  },
  {
    name: "adaptive",
    isStd: false,
    year: 2025,
    about:
      "Prefer tokens of about the probability `target`, corrected by what was picked before: neither always the best nor noise.",
    source: `${pull("ggml-org/llama.cpp", 17927)}, \`adaptive_p\` of the standard library, here without its options`,
    shown: {
      call: "adaptive(0.1, seed: 1)",
      tokens: NOUNS,
      probs: USUAL,
      caption: "tokens near a probability of 10 % gain, the best one loses",
    },
  },
  {
    name: "forking_temp",
    isStd: false,
    year: 2025,
    about: "Two temperatures: hot where the text may fork, by the entropy of the place, and cold everywhere else.",
    source: arxiv("2506.01939", "Wang et al. 2025"),
    shown: {
      call: "forking_temp(2, 0.5)",
      tokens: NOUNS,
      probs: USUAL,
      caption: "at a fork, of 1.9 nats, the distribution becomes flatter",
    },
  },
  {
    name: "by_phase",
    isStd: true,
    year: 2025,
    about: "One temperature for the thought and one for the answer, by the marks around the thought.",
    source: "model cards of Qwen3 and DeepSeek-R1 (2025); requests to vLLM",
    shown: {
      call: 'by_phase(0.5, 1, ["<think>"], ["</think>"])',
      tokens: THOUGHT,
      probs: [0.35, 0.25, 0.15, 0.1, 0.08, 0.06, 0.01],
      before: [OPEN!, SO!],
      caption: "in a thought, at half the temperature",
    },
  },
  {
    name: "thinking_budget",
    isStd: true,
    year: 2026,
    about: "Close a thought after `budget` tokens.",
    source: pull("vllm-project/vllm", 34668),
    shown: {
      call: "thinking_budget(3)",
      tokens: THOUGHT,
      probs: [0.35, 0.25, 0.15, 0.1, 0.08, 0.06, 0.01],
      before: [OPEN!, SO!, TWO!, IS!],
      caption: "after three tokens only the end of the thought stays",
    },
  },
  {
    name: "budget_forcing",
    isStd: false,
    year: 2025,
    about: "A thought of at least `shortest` tokens: what would end it before is replaced by a `Wait`.",
    source: arxiv("2501.19393", "Muennighoff et al. 2025, s1"),
    shown: {
      call: "budget_forcing(8, 3)",
      tokens: THOUGHT,
      probs: [0.2, 0.1, 0.1, 0.05, 0.05, 0.49, 0.01],
      before: [OPEN!, SO!, TWO!],
      caption: "the end of the thought is dropped, and Wait gains",
    },
  },
  {
    name: "no_wait",
    isStd: false,
    year: 2025,
    about: "No words of reflection in a thought, such as `Wait` and `But`, which make it long: they are dropped there.",
    source: arxiv("2506.08343", "Wang et al. 2025, NoWait"),
    shown: {
      call: "no_wait()",
      tokens: THOUGHT,
      probs: [0.2, 0.3, 0.2, 0.1, 0.1, 0.09, 0.01],
      before: [OPEN!, SO!],
      caption: "Wait and But are dropped in the thought",
    },
  },
  {
    name: "thought_switching",
    isStd: false,
    year: 2025,
    about: "Stay with a thought: words that begin another one lose `penalty` for a while after the last such word.",
    source: arxiv("2501.18585", "Wang et al. 2025, TIP"),
    shown: {
      call: 'thought_switching(2, 20, ["But"], tokens("But", "Wait"))',
      tokens: THOUGHT,
      probs: [0.2, 0.25, 0.25, 0.1, 0.1, 0.09, 0.01],
      before: [OPEN!],
      written: [2, TWO!],
      caption: "two tokens after a But, another one is unlikely",
    },
  },
  {
    name: "cold_stop",
    isStd: false,
    year: 2025,
    about: "Close a thought once the model was sure of each of the last `n` tokens: it knows the answer.",
    source: arxiv("2505.15778", "Zhang et al. 2025, Soft Thinking"),
    shown: {
      call: "cold_stop(0.5, 3)",
      tokens: THOUGHT,
      before: [OPEN!],
      steps: [sure(SO!, 7, 2), sure(TWO!, 7, 7), sure(IS!, 7, 7), sure(TWO!, 7, 7), sure(SO!, 7, 7)],
      caption: "after three sure tokens the thought is closed",
    },
  },
  {
    name: "loop_break",
    isStd: false,
    year: 2026,
    about: "Close a thought that runs in circles: a cycle of some tokens for the third time.",
    source: pull("vllm-project/vllm", 52677),
    shown: {
      call: "loop_break(6)",
      tokens: THOUGHT,
      probs: [0.4, 0.2, 0.1, 0.1, 0.1, 0.09, 0.01],
      before: [OPEN!, ...[SO!, TWO!, IS!, TWO!], ...[SO!, TWO!, IS!, TWO!], ...[SO!, TWO!, IS!, TWO!]],
      caption: "at the third time only the end of the thought stays",
    },
  },
  {
    name: "deepconf",
    isStd: true,
    year: 2025,
    about: "End a text of which the model is no longer sure: its confidence over a window fell below a threshold.",
    source: arxiv("2508.15260", "Fu et al. 2025, DeepConf"),
    shown: {
      call: "deepconf(3, 2, 4) |> greedy()",
      tokens: THOUGHT,
      measure: "confidence",
      steps: [sure(SO!, 7, 9), sure(TWO!, 7, 8), sure(IS!, 7, 6), sure(TWO!, 7, 2), sure(SO!, 7, 1), sure(SO!, 7, 1)],
      caption: "the confidence of the last two tokens falls below 3",
    },
  },
  {
    name: "repetition",
    isStd: false,
    year: 2026,
    about: "End a text that repeats itself: the same pattern of tokens, several times in a row.",
    source: `${pull("vllm-project/vllm", 35451)}, \`repetition_stop\` of the standard library, which costs less`,
    shown: {
      call: "repetition(4, 3) |> greedy()",
      tokens: THOUGHT,
      steps: [IS!, SO!, TWO!, SO!, TWO!, SO!, TWO!, SO!].map((token, i) => sure(token, 7, 2 + i / 2)),
      caption: "the third time of a pattern of two tokens ends the text",
    },
  },
  {
    name: "no_repeat_line",
    isStd: true,
    year: 2026,
    about: "Do not end a line as an earlier one ends: it must go on otherwise.",
    source: `${pull("ggml-org/llama.cpp", 22007)}, which raises the temperature instead`,
    shown: {
      call: "no_repeat_line(2)",
      tokens: ["go", "on", "\n", ".", "and"],
      probs: [0.1, 0.1, 0.6, 0.12, 0.08],
      before: [4, 2, 0, 1, 2, 0, 1],
      caption: "the line break is dropped that would repeat a line",
    },
  },
  {
    name: "line_heat",
    isStd: false,
    year: 2026,
    about: "Out of a loop of lines: a higher temperature while a line is begun again.",
    source: pull("ggml-org/llama.cpp", 22007),
    shown: {
      call: "line_heat(2, 2)",
      tokens: ["go", "on", "\n", ".", "and"],
      probs: [0.05, 0.05, 0.75, 0.1, 0.05],
      before: [2, 0, 1, 2, 0, 1],
      caption: "while the line is an earlier one, the distribution is flatter",
    },
  },
  {
    name: "ban_phrases",
    isStd: true,
    year: 2025,
    about: "Never write some phrases: the text goes back to where one begins, and another token is picked there.",
    source: `${arxiv("2510.15061", "Paech et al. 2025, Antislop")}; KoboldCpp and tabbyAPI`,
    shown: {
      call: 'ban_phrases(phrases("a tapestry"))',
      tokens: [" a", " the", " his", " tapestry", " of"],
      probs: [0.5, 0.25, 0.15, 0.06, 0.04],
      rejected: [0],
      caption: "where a phrase began, its first token is dropped",
    },
  },
  {
    name: "cold_keys",
    isStd: false,
    year: 2025,
    about: "JSON with names that the model is sure of and values that may vary: a temperature for each.",
    source: "[llguidance](https://github.com/guidance-ai/llguidance), requests for a temperature by rule (2025)",
    shown: {
      call: "cold_keys(0.4, 1)",
      tokens: ["name", "age", "id", '{"', '":', ', "'],
      probs: [0.4, 0.25, 0.15, 0.1, 0.06, 0.04],
      before: [3],
      caption: "the name of a property, at a temperature of 0.4",
    },
  },
];
