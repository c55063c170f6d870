/** What a form cannot express. */
import type { Graph } from "../graph/graph.js";

/** A graph that has no equivalent in a form; `faults` names each stage or node that prevents it, and what to do. */
export class EmitError extends Error {
  override readonly name = "EmitError";
  readonly code = "NOT_EMITTED";
  constructor(
    form: string,
    readonly faults: readonly string[],
  ) {
    super(`this chain has no equivalent in ${form}:\n${faults.map((fault) => `  ${fault}`).join("\n")}`);
  }
}

/** Throws `EmitError` for a host tail: its samplers are llama.cpp's own and run on its CPU. */
export function refuseTail({ tail, stages }: Graph, form: string): void {
  if (tail.length === 0) return;
  // the stages of the tail are the chain's last ones
  const places = stages.slice(stages.length - tail.length);
  throw new EmitError(
    form,
    tail.map(({ name }, i) => {
      const { origin, name: text = name } = places[i] ?? {};
      const place = origin ? `${origin.file}:${origin.line}:${origin.column}: ` : "";
      return `${place}the stage \`${text}\` runs on llama.cpp's CPU samplers; use a sampler of the standard library in its place, or leave it out`;
    }),
  );
}
