/** Texts that the demo model writes under JSON schemas, judged by another validator. */
import { Ajv2020 } from "ajv/dist/2020.js";
import { compile } from "../../runtime/chain/chain.js";
import type { Model } from "../../runtime/models/model.js";
import { rulesOf } from "../../runtime/grammars/rulesOf.js";
import { MORE, suite } from "./schemas.js";

const chain = compile(
  `import { logit_bias, constrain, temp, dist } from "std"\nchain c(g: grammar, seed: seed) = logit_bias() |> constrain(g) |> temp(0.9) |> dist(seed)`,
);

interface Named {
  readonly name: string;
  readonly schema: object | boolean;
}

const isEnforced = ({ schema }: Named): boolean => {
  try {
    rulesOf({ jsonSchema: schema });
    return true;
  } catch {
    return false;
  }
};

/** The enforced schemas: of the suite, of later drafts, and each inside of others. */
export function schemas(): Named[] {
  const more = Object.entries(MORE).map(([name, schema]) => ({ name, schema }));
  // Ajv compiles several schemas with one identity otherwise, and some without end
  const plain = [...suite(), ...more].filter((one) => !JSON.stringify(one.schema).includes("$id")).filter(isEnforced);
  const movable = plain.filter(({ schema }) => !/\$(?:ref|dynamicRef|schema)/.test(JSON.stringify(schema)));
  const inside = movable.flatMap(({ name, schema }, i) => {
    const { schema: other } = movable[(i + 7) % movable.length]!;
    return [
      { name: `${name}, in a list`, schema: { type: "array", items: schema, minItems: 1, maxItems: 2 } },
      {
        name: `${name}, in an object`,
        schema: { type: "object", properties: { first: schema, second: other }, required: ["first"] },
      },
    ];
  });
  return [...plain, ...inside.filter(isEnforced)];
}

interface Outcome {
  readonly name: string;
  readonly seed: number;
  readonly text: string;
  readonly fault: string;
}

interface Outcomes {
  readonly whole: number;
  /** Reached the most tokens before they were whole. */
  readonly cut: number;
  readonly faults: readonly Outcome[];
}

const ajv = new Ajv2020({ strict: false, validateFormats: false });

/** Each text parses and is valid, unless it is cut at the most tokens. */
export async function generate(
  model: Model,
  all: readonly Named[],
  { seeds, maxTokens }: { readonly seeds: number; readonly maxTokens: number },
): Promise<Outcomes> {
  const counts = { whole: 0, cut: 0, faults: [] as Outcome[] };
  // the demo model knows no JSON, and seldom closes what is open
  const bias = new Map([...closing(model)].map((token) => [token, 6]));
  using batch = model.batch({ sequences: 8 });
  const write = async ({ name, schema }: Named, seed: number): Promise<void> => {
    const validate = ajv.compile(schema);
    const options = { chain, uniforms: { g: { jsonSchema: schema }, seed }, feed: { bias }, maxTokens };
    const generation = batch.add("In the beginning", options);
    let text = "";
    for await (const piece of generation) text += piece.text;
    if (generation.stats().finish !== "end") {
      counts.cut++;
      return;
    }
    counts.whole++;
    const fault = faultOf(text, validate);
    if (fault !== undefined) counts.faults.push({ name, seed, text, fault });
  };
  await Promise.all(all.flatMap((named) => Array.from({ length: seeds }, (_, i) => write(named, i + 1))));
  return counts;
}

function faultOf(text: string, validate: (value: unknown) => boolean): string | undefined {
  try {
    return validate(JSON.parse(text)) ? undefined : "is not valid";
  } catch (error) {
    return (error as Error).message;
  }
}

function* closing(model: Model): Generator<number> {
  for (let token = 0; token < model.info.vocabSize; token++)
    if (token === model.info.eos || /^["\]}]+$/.test(model.textOf(token))) yield token;
}
