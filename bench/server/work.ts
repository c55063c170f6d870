/** What the clients of a server ask for. */
import type { Path } from "./client.js";

export const SIDES = ["ggsl", "llama, device", "llama, CPU"] as const;
export type Side = (typeof SIDES)[number];

export interface Work {
  readonly name: string;
  /** The body of the request with this number, in the form that each server has for it. */
  body(request: number, side: Side): object;
}

/** Tokens of a text. */
export const TOKENS = 32;
/** Chains that differ. */
const DISTINCT = 64;
export const PATH: Path = "/v1/chat/completions";
/** Shows the model no more than the words: it is no instruct model. */
export const TEMPLATE = "{% for message in messages %}{{ message.content }}{% endfor %}";

/** Cannot end within the tokens of a text. */
const SCHEMA = {
  type: "object",
  required: ["book", "verses"],
  additionalProperties: false,
  properties: {
    book: { enum: ["Genesis", "Exodus", "Leviticus"] },
    verses: { type: "array", items: { type: "string" }, minItems: TOKENS },
  },
};

interface Values {
  readonly top_k: number;
  readonly top_p: number;
  readonly min_p: number;
  readonly temperature: number;
}

const VALUES: Values = { top_k: 40, top_p: 0.95, min_p: 0.05, temperature: 0.8 };

const distinctValues = (chain: number): Values => ({
  top_k: 20 + chain,
  top_p: 0.8 + (chain % 16) / 100,
  min_p: 0.02 + chain / 1000,
  temperature: 0.7 + chain / 100,
});

/** llama-server's default has more samplers, which these values switch off. */
const LLAMA_ORDER = { samplers: ["top_k", "top_p", "min_p", "temperature"] };

const request = (number: number): object => ({
  messages: [{ role: "user", content: `In the year ${number}` }],
  max_tokens: TOKENS,
  ignore_eos: true,
  seed: number,
});

const withFields = (number: number, side: Side, values: Values): object => ({
  ...request(number),
  ...values,
  ...(side !== "ggsl" && LLAMA_ORDER),
});

/** As GGSL source, whose constants are part of the graph. */
const sourceOf = ({ top_k, top_p, min_p, temperature }: Values): string =>
  `top_k(${top_k}) |> top_p(${top_p}) |> min_p(${min_p}) |> temp(${temperature}) |> dist()`;

export const WORK: readonly Work[] = [
  { name: "one chain", body: (number, side) => withFields(number, side, VALUES) },
  {
    name: `${DISTINCT} chains`,
    body(number, side) {
      const values = distinctValues(number % DISTINCT);
      return side === "ggsl" ? { ...request(number), sampler: sourceOf(values) } : withFields(number, side, values);
    },
  },
  {
    name: "JSON schema",
    body: (number, side) => ({
      ...withFields(number, side, VALUES),
      response_format: { type: "json_schema", json_schema: { name: "place", strict: true, schema: SCHEMA } },
    }),
  },
];
