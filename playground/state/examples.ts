/** Example programs: short, in lines that the editor does not wrap. */

export interface Example {
  readonly title: string;
  /** What it shows, in a sentence. */
  readonly about: string;
  readonly text: string;
  /** Prompts of its guides, for its picture. */
  readonly guides?: Readonly<Record<string, string>>;
}

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
    text: chain(
      "top_k, temp, dist",
      `/// Draw one of the 40 best tokens, at temperature 0.8.
chain first = top_k(40) |> temp(0.8) |> dist`,
    ),
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
    title: "Exact entropy",
    about: "Bisection in the graph finds the temperature for a given entropy.",
    text: chain(
      "top_k, dist",
      `/// The entropy of the candidates at temperature \`t\`, in nats.
fn entropy_at(t: f32) -> f32 =
  sum(-log_softmax(logit / t) * softmax(logit / t))

sampler exact_entropy(nats: f32) {
  // halves the step in each round, on a scale of log(t)
  logit /= exp(repeat i in 1..40 with x = 0:
    x + (entropy_at(exp(x)) < nats ? 8 : -8) * 2 ^ -i)
}

chain steady(nats: f32 >= 0 = 1) =
  top_k(64) |> exact_entropy(nats) |> dist`,
    ),
  },
  {
    title: "Mirostat 2",
    about: "A state that holds the surprise near a target: see how mu moves.",
    text: chain(
      "mirostat_v2",
      `/// Holds the surprise of the picked tokens near \`tau\` bits.
chain steady(tau: f32 in [0, 10] = 3,
             eta: f32 in [0, 1] = 0.1) =
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
      `chain surprising(p: f32 in [0, 1] = 1,
                 t: f32 in [0, 0.5] = 0.1) =
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
    text: chain(
      "top_k, temp, dist",
      `/// The logits of the same text after another prompt.
input negative: logits

/// Half of the guidance is left after \`half_life\` tokens.
sampler fading(scale: f32, half_life: f32) {
  let part = 0.5 ^ (step / half_life)
  logit += (scale - 1) * part * (logit - negative)
}

chain guided(scale: f32 in [1, 10] = 3) =
  fading(scale, 50) |> top_k(40) |> temp(0.8) |> dist`,
    ),
    guides: { negative: "In the beginning" },
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
