/** All optimizations: the rules of lowering, and the passes after it. */
import type { Optimization } from "./graph/optimization.js";
import { RULES } from "./rules/rules.js";
import { PASSES } from "./optimize/optimize.js";

/** The optimizations by name, as in `disable`. */
export const OPTIMIZATIONS: ReadonlyMap<string, Optimization> = new Map([...RULES, ...PASSES].map((o) => [o.name, o]));
