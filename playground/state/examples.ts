/** Example programs: the repository's own, without their notes for the command line, and chains of standard samplers. */
import entropyTemperature from "../../examples/entropy-temperature.ggsl?raw";
import exactEntropy from "../../examples/exact-entropy.ggsl?raw";
import firstChain from "../../examples/first-chain.ggsl?raw";
import guidance from "../../examples/guidance.ggsl?raw";

export interface Example {
  readonly title: string;
  /** What it shows, in a sentence. */
  readonly about: string;
  readonly text: string;
}

/** The comment at the beginning of a file tells how to run it on the command line. */
const withoutNotes = (text: string): string => text.replace(/^(?:\/\/.*\n)+\n*/, "");

const chain = (names: string, text: string): string => `import { ${names} } from "std"\n\n${text}\n`;

export const EXAMPLES: readonly Example[] = [
  {
    title: "A custom sampler",
    about: "A sampler of one line, after three standard ones: strict where the model is sure.",
    text: chain(
      "top_k, top_p, min_p, temp, dist",
      `/// Keep tokens with at least \`a\` times the square of the
/// highest probability: strict where the model is sure.
sampler top_a(a: f32 in [0, 1] = 0.2) {
  keep prob >= a * max(prob) ^ 2
}

chain creative(t: f32 >= 0 = 0.9, a: f32 in [0, 1] = 0.15) =
  top_k(40) |> top_p(0.95) |> min_p(0.05)
    |> top_a(a) |> temp(t) |> dist`,
    ),
  },
  {
    title: "First chain",
    about: "The shortest useful program: three standard samplers.",
    text: withoutNotes(firstChain),
  },
  {
    title: "Min-p and temperature",
    about: "A common choice: cut the tail relative to the best token, then raise the temperature.",
    text: chain(
      "min_p, temp, dist",
      `chain bold(p: f32 in [0, 1] = 0.05, t: f32 in [0, 3] = 1.2) =
  min_p(p) |> temp(t) |> dist`,
    ),
  },
  {
    title: "Entropy temperature",
    about: "A high temperature where the model is sure, a low one where it is not.",
    text: withoutNotes(entropyTemperature),
  },
  {
    title: "Exact entropy",
    about: "Bisection in the graph finds the temperature for a given entropy.",
    text: withoutNotes(exactEntropy),
  },
  {
    title: "Mirostat 2",
    about: "A state that holds the surprise near a target: see how `mu` moves.",
    text: chain(
      "mirostat_v2",
      `/// Holds the surprise of the picked tokens near \`tau\` bits.
chain steady(tau: f32 in [0, 10] = 3, eta: f32 in [0, 1] = 0.1) =
  mirostat_v2(tau, eta)`,
    ),
  },
  {
    title: "Adaptive p",
    about: "Picks tokens near a target probability, corrected by a moving average.",
    text: chain(
      "min_p, adaptive_p",
      `chain near(target: f32 in [0, 1] = 0.3,
           decay: f32 in [0, 0.99] = 0.9) =
  min_p(0.02) |> adaptive_p(target, decay)`,
    ),
  },
  {
    title: "A measure",
    about: "A number that comes back with each token: here its surprise in the model's own distribution.",
    text: chain(
      "top_k, temp",
      `/// Draws a token, and reports what the model thought of it.
sampler watched(seed: seed = random) {
  pick sample(seed)
  measure own_bits = -log2(picked(raw_prob))
}

chain report(t: f32 in [0.1, 3] = 1.1) =
  top_k(40) |> temp(t) |> watched`,
    ),
  },
  {
    title: "XTC",
    about: "Sometimes drops the likeliest tokens, and keeps the least likely of them.",
    text: chain(
      "min_p, xtc, dist",
      `chain surprising(p: f32 in [0, 1] = 1, t: f32 in [0, 0.5] = 0.1) =
  min_p(0.02) |> xtc(p, t) |> dist`,
    ),
  },
  {
    title: "Penalties",
    about: "Lowers tokens that occurred before in the text.",
    text: chain(
      "penalties, top_k, dist",
      `chain fresh(repeat: f32 in [1, 2] = 1.3,
            freq: f32 in [0, 2] = 0) =
  penalties(64, repeat, freq) |> top_k(40) |> dist`,
    ),
  },
  {
    title: "Sets of tokens",
    about: "Tokens by pattern, and a list that is a parameter: fill it in and see them go.",
    text: chain(
      "top_k, dist",
      `/// No capital letters, and none of the banned tokens.
sampler quiet(banned: tokens) {
  keep token not in tokens(/[A-Z]/) and token not in banned
}

chain lower(banned: tokens(16) = tokens()) =
  quiet(banned) |> top_k(40) |> dist`,
    ),
  },
  {
    title: "Guidance",
    about: "Moves away from what another prompt would say. Its prompt is a field above the text.",
    text: withoutNotes(guidance),
  },
  {
    title: "A static parameter",
    about: "The size of the table is known when the chain is compiled.",
    text: chain(
      "top_k, typical, dist",
      `chain sized(static k: i32 in [1, 200] = 20,
            p: f32 in [0, 1] = 0.9) =
  top_k(k) |> typical(p) |> dist`,
    ),
  },
];
