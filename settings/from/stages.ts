/**
 * Stages of the standard samplers that llama.cpp also has. Each function returns the list of stages for a setting, empty for
 * values that turn the sampler off. `name` is the setting's name in the source and the name of the chain's parameter.
 */
import type { Arg, Stage, Uniform } from "./plan.js";

export type Seed = number | "random";

export const uniform = (name: string, value: number, range?: string): Uniform => ({
  uniform: name,
  type: "f32",
  value,
  ...(range !== undefined && { range }),
});

const count = (name: string, value: number): Uniform => ({ uniform: name, type: "i32", isStatic: true, value });

/** An open seed is drawn for each stage independently. */
const seeded = (seed: Seed): Record<string, Arg> =>
  seed === "random" ? {} : { seed: { uniform: "seed", type: "seed", value: seed } };

const keeping = (minKeep: number): Record<string, Arg> => (minKeep > 0 ? { min_keep: minKeep } : {});

export const greedy = (): Stage[] => [{ name: "greedy", args: {} }];

export const dist = (seed: Seed): Stage[] => [{ name: "dist", args: seeded(seed) }];

export const temp = (name: string, t: number): Stage[] =>
  t === 1 ? [] : [{ name: "temp", args: { t: uniform(name, t, ">= 0") } }];

export const dynamicTemp = (name: string, t: number, delta: number, exponent: number): Stage[] =>
  delta <= 0 ? temp(name, t) : [{ name: "temp_ext", args: { t: uniform(name, t, ">= 0"), delta, exponent } }];

export const topK = (name: string, k: number): Stage[] =>
  k <= 0 ? [] : [{ name: "top_k", args: { k: count(name, k) } }];

export const topP = (name: string, p: number, minKeep = 0): Stage[] =>
  p >= 1 ? [] : [{ name: "top_p", args: { p: uniform(name, p), ...keeping(minKeep) } }];

export const minP = (name: string, p: number, minKeep = 0): Stage[] =>
  p <= 0 ? [] : [{ name: "min_p", args: { p: uniform(name, p, "<= 1"), ...keeping(minKeep) } }];

export const typical = (name: string, p: number, minKeep = 0): Stage[] =>
  p >= 1 ? [] : [{ name: "typical", args: { p: uniform(name, p), ...keeping(minKeep) } }];

export const topNSigma = (name: string, n: number): Stage[] =>
  n <= 0 ? [] : [{ name: "top_n_sigma", args: { n: uniform(name, n) } }];

export const topA = (name: string, a: number): Stage[] =>
  a <= 0 ? [] : [{ name: "top_a", args: { a: uniform(name, a, "in [0, 1]") } }];

export const xtc = (p: number, t: number, seed: Seed, minKeep = 0): Stage[] =>
  p <= 0 || t > 0.5
    ? []
    : [
        {
          name: "xtc",
          args: {
            p: uniform("xtc_probability", p),
            t: uniform("xtc_threshold", t),
            ...keeping(minKeep),
            ...seeded(seed),
          },
        },
      ];

export const quadratic = (factor: number, curve: number): Stage[] =>
  factor <= 0
    ? []
    : [
        {
          name: "quadratic",
          args: { factor: uniform("smoothing_factor", factor, ">= 0"), curve: uniform("smoothing_curve", curve) },
        },
      ];

export interface Penalties {
  readonly lastN: number;
  readonly repeat: number;
  readonly freq: number;
  readonly present: number;
}

/** The source's names of the three strengths. */
export interface PenaltyNames {
  readonly repeat: string;
  readonly freq: string;
  readonly present: string;
}

export const hasPenalties = ({ repeat, freq, present }: Omit<Penalties, "lastN">): boolean =>
  repeat !== 1 || freq !== 0 || present !== 0;

/** The strengths as arguments; disabled ones are constants. */
export function strengths(names: PenaltyNames, p: Omit<Penalties, "lastN">): Record<string, Arg> {
  return {
    repeat: p.repeat === 1 ? 1 : uniform(names.repeat, p.repeat, "> 0"),
    freq: p.freq === 0 ? 0 : uniform(names.freq, p.freq),
    present: p.present === 0 ? 0 : uniform(names.present, p.present),
  };
}

export const penalties = (names: PenaltyNames, p: Penalties): Stage[] =>
  p.lastN <= 0 || !hasPenalties(p) ? [] : [{ name: "penalties", args: { last_n: p.lastN, ...strengths(names, p) } }];

export interface Dry {
  readonly multiplier: number;
  readonly base: number;
  readonly allowedLength: number;
  readonly lastN: number;
  readonly breakers: readonly string[];
}

export const dry = ({ multiplier, base, allowedLength, lastN, breakers }: Dry): Stage[] =>
  multiplier === 0 || base < 1 || lastN <= 0
    ? []
    : [
        {
          name: "dry",
          args: {
            multiplier: uniform("dry_multiplier", multiplier),
            base: uniform("dry_base", base),
            allowed_length: allowedLength,
            last_n: lastN,
            breakers,
          },
        },
      ];

/** Classifier-free guidance; the calling program binds the guide `negative`. */
export const guidance = (name: string, scale: number): Stage[] =>
  scale === 1 ? [] : [{ name: "cfg", args: { scale: uniform(name, scale, "in [0, 100]") } }];

/** Mirostat of version 1 or 2. */
export const mirostat = (version: number, tau: number, eta: number, seed: Seed): Stage[] => [
  {
    name: version === 1 ? "mirostat" : "mirostat_v2",
    args: { tau: uniform("mirostat_tau", tau), eta: uniform("mirostat_eta", eta), ...seeded(seed) },
  },
];

export const adaptiveP = (target: number, decay: number, seed: Seed): Stage[] => [
  {
    name: "adaptive_p",
    args: {
      target: uniform("adaptive_target", target, "<= 1"),
      decay: uniform("adaptive_decay", decay, "in [0, 0.99]"),
      ...seeded(seed),
    },
  },
];

/** The same stages in the host tail, where every argument is a constant. */
export const inTail = (stages: readonly Stage[]): Stage[] =>
  stages.map(({ name, args }) => ({
    name,
    isHost: true,
    args: Object.fromEntries(Object.entries(args).map(([key, arg]) => [key, constantOf(arg)])),
  }));

const constantOf = (arg: Arg): Arg => (typeof arg === "object" && "uniform" in arg ? (arg.value ?? arg) : arg);
