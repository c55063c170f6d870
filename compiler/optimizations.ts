/** All optimizations: the rules that lowering asks, and the passes that run after it. */
import type { Optimization } from "./graph/optimization.js";
import { RULES } from "./lower/rules/rules.js";
import { PASSES } from "./optimize/optimize.js";

/** By name: what `disable` takes. */
export const OPTIMIZATIONS: ReadonlyMap<string, Optimization> = new Map([...RULES, ...PASSES].map((o) => [o.name, o]));
