/** The rules for a valid host tail. */
import type { Graph, TailStage } from "./graph.js";
import { TAIL_SAMPLERS, type TailParam } from "../llama/samplers.js";
import { LIMITS } from "../limits/format.js";
import { isBreakers, isFiniteF32, isText } from "./values.js";
import { isSeed, SEED_RANGE } from "./param.js";
import { describeRange, isInRange } from "../core/range.js";
import { isObject } from "./shape.js";
import { show } from "../core/show.js";

/** Whether a stage of the host tail picks the token. */
export const isPick = ({ name }: Pick<TailStage, "name">): boolean => TAIL_SAMPLERS[name]?.picks === true;

/** Whether the chain of a graph picks a token, in the graph or in its host tail. */
export const picksToken = ({ outputs, tail }: Graph): boolean => outputs.sampled !== undefined || tail.some(isPick);

export function tailFaults({ tail, params }: Graph): string[] {
  const seeds = new Set(params.filter((p) => p.type === "seed").map((p) => p.name));
  const faults = tail.flatMap((stage, i) =>
    stageFaults(stage, seeds).map((f) => `tail[${i}] ${show(stage.name)}: ${f}`),
  );
  if (faults.length > 0) return faults;
  const picks = tail.findIndex(isPick);
  return picks >= 0 && picks < tail.length - 1 ? [`tail[${picks + 1}]: the stage before it picks the token`] : [];
}

/** The faults of one stage; `seeds` are the parameters that its seed can name. */
export function stageFaults({ name, args }: TailStage, seeds: ReadonlySet<string>): string[] {
  if (!Object.hasOwn(TAIL_SAMPLERS, name)) return ["unknown tail stage"];
  const { params } = TAIL_SAMPLERS[name]!;
  const stray = Object.keys(args).find((arg) => !Object.hasOwn(params, arg));
  if (stray !== undefined) return [`unknown argument ${show(stray)}`];
  return Object.entries(params).flatMap(([arg, param]) => {
    if (!Object.hasOwn(args, arg)) return param.default === undefined ? [`the argument \`${arg}\` is missing`] : [];
    const expected = expectedArgument(param, args[arg], seeds);
    return expected === undefined ? [] : [`\`${arg}\` must be ${expected}, found ${show(args[arg])}`];
  });
}

/** Describes what an argument must be, if `value` is invalid. */
function expectedArgument(
  { type, range = {} }: TailParam,
  value: unknown,
  seeds: ReadonlySet<string>,
): string | undefined {
  switch (type) {
    case "seed":
      return isSeedArgument(value, seeds) ? undefined : `${SEED_RANGE}, "random" or a seed parameter`;
    case "text":
      return isText(value) ? undefined : `a text of at most ${LIMITS.text} characters`;
    case "list":
      return isBreakers(value) ? undefined : `a list of at most ${LIMITS.list} texts and token ids`;
    case "i32":
    case "f32":
      if (!isFiniteF32(value)) return "a finite number";
      if (type === "i32" && (value | 0) !== value) return "a 32-bit integer";
      return isInRange(range, value) ? undefined : describeRange(range);
  }
}

const isSeedArgument = (value: unknown, seeds: ReadonlySet<string>): boolean =>
  value === "random" ||
  isSeed(value) ||
  (isObject(value) && Object.keys(value).join() === "param" && seeds.has(value["param"] as string));
