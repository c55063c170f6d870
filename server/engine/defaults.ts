/** The chain of requests without a sampler. Its parameters are uniforms, so that requests with other values share one graph. */
import type { Policy } from "@ggsl/compiler/check/policies.js";
import { compileLowered, compileRows, graphOf, lowerProgram } from "@ggsl/compiler/driver.js";
import { chainOf, compile, type Chain } from "ggsl/chain/chain.js";

/** What a request asks of the default chain beyond temperature, top_p, min_p and seed; each part costs nodes for every token. */
interface Parts {
  /** The most that `top_k` can be: `FEW`, or infinite, for which the whole vocabulary is sorted; absent: it keeps all. */
  readonly most?: number | undefined;
  /** Penalties and biases. */
  readonly edits: boolean;
  /** A grammar. */
  readonly constrained: boolean;
}

/** Selecting as many as most requests keep takes less than a sort. */
const FEW = 64;

/** `most` of a request's `top_k`. */
export const mostFor = (k: number | undefined): number | undefined =>
  k === undefined || k <= 0 ? undefined : k <= FEW ? FEW : Infinity;

/** The order of stages is llama.cpp's. */
export function defaultSource({ most, edits }: Pick<Parts, "most" | "edits">): string {
  const imports = [
    "top_p as nucleus",
    "min_p as near_best",
    "temp",
    "dist",
    ...(edits ? ["logit_bias", "penalties"] : []),
  ];
  const params = [
    ...(edits
      ? [
          "repeat_last_n: i32 >= 0 = 64",
          "repeat_penalty: f32 > 0 = 1",
          "frequency_penalty: f32 in [-2, 2] = 0",
          "presence_penalty: f32 in [-2, 2] = 0",
        ]
      : []),
    ...(most === undefined ? [] : [`top_k: i32 ${most === Infinity ? ">= 1" : `in [1, ${most}]`} = 1`]),
    "top_p: f32 in [0, 1] = 1",
    "min_p: f32 in [0, 1] = 0",
    "temperature: f32 in [0, 2] = 1",
    "seed: seed = random",
  ];
  const stages = [
    ...(edits ? ["logit_bias()", "penalties(repeat_last_n, repeat_penalty, frequency_penalty, presence_penalty)"] : []),
    ...(most ? ["best(top_k)"] : []),
    ...["nucleus(top_p)", "near_best(min_p)", "temp(temperature)", "dist(seed)"],
  ];
  const order = most === Infinity ? "sort" : `top ${most}`;
  const best = `/// Keep the \`k\` best.\nsampler best(k: i32 = 1) {\n  ${order}\n  keep rank < k\n}\n\n`;
  return [
    `import { ${imports.join(", ")} } from "std"\n\n`,
    most ? best : "",
    `chain standard(\n${params.map((param) => `  ${param},\n`).join("")}) =\n  ${stages.join("\n  |> ")}\n`,
  ].join("");
}

/** All variants are compiled at the start: the first compilations of a process take long, and no request waits for another's. */
export class DefaultChains {
  private readonly chains = new Map<string, Chain>();

  /** @param policy stages of the server before those of the chain, and before its pick */
  constructor(private readonly policy?: Policy) {
    for (const most of [undefined, FEW, Infinity])
      for (const edits of [false, true]) for (const constrained of [false, true]) this.of({ most, edits, constrained });
  }

  of({ most, edits, constrained }: Parts): Chain {
    const key = `${most} ${edits} ${constrained}`;
    const chain = this.chains.get(key) ?? this.compile(defaultSource({ most, edits }), constrained);
    this.chains.set(key, chain);
    return chain;
  }

  private compile(source: string, constrained: boolean): Chain {
    const options = { file: "default", constrained };
    if (!this.policy) return compile(source, options);
    const ruling = { ...options, policy: this.policy };
    const lowered = lowerProgram(source, ruling);
    const graph = graphOf(compileLowered(lowered, options));
    return chainOf(graph, graphOf(compileRows(lowered, graph, options)));
  }
}
