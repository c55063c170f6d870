/** Refuses samplers that cost too much, before they run. */
import type { Cost } from "@ggsl/compiler/graph/cost.js";
import { invalid } from "ggsl/core/errors.js";
import { Refusal } from "../refusal.js";
import type { CostLimits, SamplerFacts } from "./types.js";

/** What each number of a cost counts, for a token of a sequence; a limit can be set on each. */
export const COSTS: Readonly<Record<keyof Cost, string>> = {
  nodes: "kernels to launch",
  work: "rows to compute",
  sorts: "sorts of the vocabulary",
  deviceBytes: "bytes of device memory",
  hostBytes: "bytes of memory for the host tail",
  uploadBytes: "bytes written to the device",
  readbackBytes: "bytes read back",
};

/** Limits by name, from text. Throws `InputError` for a name that is no cost, and for a number that is not one from 0. */
export function costLimits(given: Readonly<Record<string, number>>): CostLimits {
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(COSTS, name))
      throw invalid(`there is no cost "${name}" to limit; there are ${Object.keys(COSTS).join(", ")}`);
    if (!Number.isInteger(value) || value < 0)
      throw invalid(`the limit \`${name}\` must be an integer from 0, found ${value}`);
  }
  return given;
}

/** Throws a `Refusal` if a sampler costs more than allowed, with the numbers. */
export function checkCost({ cost }: Pick<SamplerFacts, "cost">, limits: CostLimits, whose: "server" | "key"): void {
  const names = Object.keys(COSTS) as (keyof Cost)[];
  const over = names.filter((name) => cost[name] > (limits[name] ?? Infinity));
  if (over.length === 0) return;
  const parts = over.map(
    (name) => `${cost[name]} ${COSTS[name]}, and at most ${limits[name]!} are allowed (\`${name}\`)`,
  );
  const by = whose === "key" ? "for this key" : "by this server";
  throw new Refusal("sampler_too_costly", `the sampler costs too much for a token ${by}: ${parts.join("; ")}`, {
    param: "sampler",
  });
}
