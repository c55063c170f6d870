/** The chain of requests without a sampler. Its parameters are uniforms, so that requests with other values share one graph. */
import { compile, type Chain } from "ggsl/chain.js";

/** What a request asks of the default chain beyond temperature, top_p, min_p and seed; each part costs nodes for every token. */
export interface Parts {
  /** `top_k`, which sorts the whole vocabulary. */
  readonly narrows: boolean;
  /** Penalties and biases. */
  readonly edits: boolean;
  /** A grammar. */
  readonly constrained: boolean;
}

/** The order of stages is llama.cpp's. */
export function defaultSource({ narrows, edits }: Pick<Parts, "narrows" | "edits">): string {
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
    ...(narrows ? ["top_k: i32 >= 0 = 0"] : []),
    "top_p: f32 in [0, 1] = 1",
    "min_p: f32 in [0, 1] = 0",
    "temperature: f32 in [0, 2] = 1",
    "seed: seed = random",
  ];
  const stages = [
    ...(edits ? ["logit_bias()", "penalties(repeat_last_n, repeat_penalty, frequency_penalty, presence_penalty)"] : []),
    ...(narrows ? ["most(top_k)"] : []),
    ...["nucleus(top_p)", "near_best(min_p)", "temp(temperature)", "dist(seed)"],
  ];
  const most =
    "/// Keep the `k` best; 0 keeps all.\nsampler most(k: i32 >= 0 = 0) {\n  sort\n  keep k <= 0 or rank < k\n}\n\n";
  return [
    `import { ${imports.join(", ")} } from "std"\n\n`,
    narrows ? most : "",
    `chain standard(\n${params.map((param) => `  ${param},\n`).join("")}) =\n  ${stages.join("\n  |> ")}\n`,
  ].join("");
}

/** The variants that were asked for so far. */
export class DefaultChains {
  private readonly chains = new Map<string, Chain>();

  of({ narrows, edits, constrained }: Parts): Chain {
    const key = JSON.stringify([narrows, edits, constrained]);
    const chain = this.chains.get(key) ?? compile(defaultSource({ narrows, edits }), { file: "default", constrained });
    this.chains.set(key, chain);
    return chain;
  }
}
