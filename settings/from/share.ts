/** A plan as a program that requests with other numbers share: each number that can change is a parameter, and its value is beside. */
import { LLAMA_FIELDS, type FieldName } from "@ggsl/compiler/llama/fields.js";
import type { Arg, Stage, Uniform } from "./plan.js";
import { chainText } from "./write.js";

export interface SharedChain {
  /** A program with one chain. Plans with the same stages have the same. */
  readonly text: string;
  /** The values of its parameters, without the seed. */
  readonly values: Readonly<Record<string, number>>;
}

/** Selecting as many as most requests keep takes less than a sort. */
const FEW = 64;

/** @param name of the chain */
export function shared(stages: readonly Stage[], name: string): SharedChain {
  const values: Record<string, number> = {};
  const open = (arg: Arg): Arg => {
    if (typeof arg !== "object" || !("uniform" in arg) || arg.type === "grammar") return arg;
    if (arg.type === "seed") return { ...arg, value: "random" };
    if (arg.value !== "random") values[arg.uniform] = arg.value;
    return { ...arg, value: standardOf(arg) };
  };
  const general = stages.map((stage) => (stage.isHost ? withoutSeed(stage) : mapped(open, lifted(best(stage)))));
  return { text: chainText(general, name), values };
}

const mapped = (change: (arg: Arg) => Arg, { args, ...stage }: Stage): Stage => ({
  ...stage,
  args: Object.fromEntries(Object.entries(args).map(([key, arg]) => [key, change(arg)])),
});

/** The same for every value, and in every range. */
function standardOf({ uniform, type }: Uniform): number {
  const standard = Object.hasOwn(LLAMA_FIELDS, uniform) ? LLAMA_FIELDS[uniform as FieldName].default : 0;
  return type === "i32" ? Math.max(1, standard) : standard;
}

/** The host tail has constants only: its seeds are left open. */
function withoutSeed({ args, ...stage }: Stage): Stage {
  const { seed: _, ...rest } = args;
  return { ...stage, args: rest };
}

/** `top_k` knows its `k` when it is compiled; the same rows by their ranks. */
function best(stage: Stage): Stage {
  const k = stage.args["k"];
  if (stage.name !== "top_k" || typeof k !== "object" || !("uniform" in k)) return stage;
  const isFew = Number(k.value) <= FEW;
  const { isStatic: _, ...param } = k as Uniform;
  return {
    name: "best",
    args: { k: { ...param, range: isFew ? `in [1, ${FEW}]` : ">= 1", value: Number(k.value) } },
    declaration: `/// Keep the \`k\` best.\nsampler best(k: i32 = 1) {\n  ${isFew ? `top ${FEW}` : "sort"}\n  keep rank < k\n}`,
  };
}

// ---------------------------------------------------------------- constants

type Lift = Omit<Uniform, "value">;
const f32 = (uniform: FieldName, range?: string): Lift => ({
  uniform,
  type: "f32",
  ...(range !== undefined && { range }),
});
const i32 = (uniform: FieldName, range: string): Lift => ({ ...f32(uniform, range), type: "i32" });
const minKeep = i32("min_keep", ">= 0");

/** Arguments that importers write as constants, and that samplers take as parameters. */
const LIFTS: Readonly<Record<string, Readonly<Record<string, Lift>>>> = {
  penalties: {
    last_n: i32("repeat_last_n", ">= 0"),
    repeat: f32("repeat_penalty", "> 0"),
    freq: f32("frequency_penalty"),
    present: f32("presence_penalty"),
  },
  dry: { last_n: i32("dry_penalty_last_n", ">= 0"), allowed_length: i32("dry_allowed_length", ">= 1") },
  temp_ext: { delta: f32("dynatemp_range"), exponent: f32("dynatemp_exponent") },
  top_p: { min_keep: minKeep },
  min_p: { min_keep: minKeep },
  typical: { min_keep: minKeep },
  xtc: { min_keep: minKeep },
};

function lifted({ args, ...stage }: Stage): Stage {
  const lifts = LIFTS[stage.name] ?? {};
  return {
    ...stage,
    args: Object.fromEntries(
      Object.entries(args).map(([key, arg]) => {
        const lift = lifts[key];
        return [key, lift && typeof arg === "number" ? { ...lift, value: arg } : arg];
      }),
    ),
  };
}
