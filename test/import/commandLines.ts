/** Random command lines of llama.cpp, every sampler among them. */
import * as fc from "fast-check";

const NAMES = ["penalties", "dry", "top_n_sigma", "top_k", "typ_p", "top_p", "min_p", "xtc", "temperature"];

const real = (min: number, max: number): fc.Arbitrary<number> =>
  fc.integer({ min: Math.round(min * 100), max: Math.round(max * 100) }).map((x) => x / 100);

const OPTIONS: Readonly<Record<string, fc.Arbitrary<number | string>>> = {
  "--temp": real(0.3, 1.8),
  "--top-k": fc.constantFrom(0, 1, 5, 40, 200),
  "--top-p": real(0.3, 1),
  "--min-p": real(0, 0.2),
  "--typical-p": real(0.5, 1),
  "--top-nsigma": real(-1, 3),
  "--xtc-probability": real(0, 0.9),
  "--xtc-threshold": real(0.02, 0.6),
  "--repeat-last-n": fc.constantFrom(0, 8, 64),
  "--repeat-penalty": real(0.8, 1.6),
  "--presence-penalty": real(-0.5, 1),
  "--frequency-penalty": real(0, 0.5),
  "--dry-multiplier": real(0, 1.5),
  "--dry-base": real(1, 2.5),
  "--dry-allowed-length": fc.constantFrom(1, 2, 4),
  "--dry-penalty-last-n": fc.constantFrom(0, 16, 64),
  "--dynatemp-range": real(0, 0.3),
  "--dynatemp-exp": real(0.5, 2),
  "--logit-bias": fc
    .tuple(fc.integer({ min: 260, max: 500 }), real(-3, 3))
    .map(([t, b]) => `${t}${b < 0 ? "" : "+"}${b}`),
};

const option = fc
  .constantFrom(...Object.keys(OPTIONS))
  .chain((name) => OPTIONS[name]!.map((value) => [name, String(value)]));

/**
 * Mirostat 1 starts with a limit of 2 tau, which a token raises by at most tau / 10: after 60 tokens it is below 11, where it
 * keeps at most 504 of 2048 rows. Above 11 that number overflows an integer for some logits, which is undefined in llama.cpp.
 */
const MOST_TAU = 1.3;

/** Options that choose the samplers. */
const picks = fc.oneof(
  { weight: 6, arbitrary: fc.shuffledSubarray(NAMES).map((names) => ["--samplers", names.join(";")]) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.shuffledSubarray(NAMES, { maxLength: 3 }), real(0.1, 0.6))
      .map(([names, target]) => [
        ...["--samplers", [...names, "adaptive_p"].join(";")],
        ...["--adaptive-target", String(target)],
      ]),
  },
  {
    weight: 1,
    arbitrary: fc
      .oneof(fc.tuple(fc.constant("1"), real(0.5, MOST_TAU)), fc.tuple(fc.constant("2"), real(2, 6)))
      .map(([version, tau]) => ["--mirostat", version, "--mirostat-ent", String(tau)]),
  },
);

export const commandLines: fc.Arbitrary<string[]> = fc
  .tuple(fc.uniqueArray(option, { maxLength: 8, selector: ([name]) => name }), picks, fc.integer({ min: 0, max: 9999 }))
  .map(([options, order, seed]) => [...options.flat(), ...order, "--seed", String(seed)]);
