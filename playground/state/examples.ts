/** Example programs: the repository's own, and chains of standard samplers. */
import creative from "../../examples/creative.ggsl?raw";
import entropyTemperature from "../../examples/entropy-temperature.ggsl?raw";
import firstChain from "../../examples/first-chain.ggsl?raw";

export interface Example {
  readonly title: string;
  readonly text: string;
}

const chain = (names: string, text: string): string => `import { ${names} } from "std"\n\n${text}\n`;

export const EXAMPLES: readonly Example[] = [
  { title: "Creative: a custom sampler", text: creative },
  { title: "First chain", text: firstChain },
  { title: "Entropy temperature", text: entropyTemperature },
  {
    title: "Min-p and temperature",
    text: chain(
      "min_p, temp, dist",
      `/// A common choice: truncate the tail relative to the best token, then raise the temperature.
chain bold(p: f32 in [0, 1] = 0.05, t: f32 in [0, 3] = 1.2) = min_p(p) |> temp(t) |> dist`,
    ),
  },
  {
    title: "Mirostat 2",
    text: chain(
      "mirostat_v2",
      `/// Holds the surprise of the picked tokens near \`tau\` bits; see how its state \`mu\` moves.
chain steady(tau: f32 in [0, 10] = 3, eta: f32 in [0, 1] = 0.1) = mirostat_v2(tau, eta)`,
    ),
  },
  {
    title: "Adaptive p",
    text: chain(
      "min_p, adaptive_p",
      `/// Picks tokens near a target probability; a moving average of the picked probabilities corrects it.
chain near(target: f32 in [0, 1] = 0.3, decay: f32 in [0, 0.99] = 0.9) = min_p(0.02) |> adaptive_p(target, decay)`,
    ),
  },
  {
    title: "XTC",
    text: chain(
      "min_p, xtc, dist",
      `/// Sometimes drops the likeliest tokens, and keeps the least likely of them.
chain surprising(p: f32 in [0, 1] = 1, t: f32 in [0, 0.5] = 0.1) = min_p(0.02) |> xtc(p, t) |> dist`,
    ),
  },
  {
    title: "Penalties",
    text: chain(
      "penalties, top_k, dist",
      `/// Lowers tokens that occurred before: enter the tokens so far under "Logits".
chain fresh(repeat: f32 in [1, 2] = 1.3, freq: f32 in [0, 2] = 0) = penalties(64, repeat, freq) |> top_k(40) |> dist`,
    ),
  },
  {
    title: "A static parameter",
    text: chain(
      "top_k, typical, dist",
      `/// \`k\` determines the size of the table, so it must be known at compile time.
chain sized(static k: i32 in [1, 200] = 20, p: f32 in [0, 1] = 0.9) = top_k(k) |> typical(p) |> dist`,
    ),
  },
];
