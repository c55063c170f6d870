/**
 * A comparison of probabilities with each other (`prob >= p * max(prob)`) is invariant under a positive factor, and dropping rows
 * only multiplies the rest by one: the weights from before rows were dropped can be reused.
 *
 *     %9 = soft_max(%1)                    %9 = soft_max(%1)
 *     ...                                  ...
 *     %13 = scale(mask) s=1e33 b=-1e33     %13 = mul(%9, mask)
 *     %14 = soft_max(%1, %13)          ->  %14 = view(%13) offset=0 count=1
 *     %15 = view(%14) offset=0 count=1
 */
import type { Rule } from "../table/rule.js";

export const scaleInvariance: Rule = {
  name: "scale-invariance",
  doc: "comparing probabilities with each other needs no normalisation",
  example: `import { top_k, top_p, dist } from "std"

sampler relative(p: f32) {
  keep prob >= p * max(prob)
}

chain c = top_k(40) |> top_p(0.9) |> relative(0.1) |> dist(42)
`,
};
