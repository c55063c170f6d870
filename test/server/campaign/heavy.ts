/** What a hostile client asks for that costs the server much: each kind that has once stopped a server, and those near it. */
import * as fc from "fast-check";
import { samplerOf } from "./load.js";
import { attack, light, type Attack } from "./light.js";
import { headersOf, pause, post, raw, type Target } from "./send.js";

const CHAT = "/v1/chat/completions";
const COMPLETIONS = "/v1/completions";
const MESSAGES = [{ role: "user", content: "Hi" }];

const chat = (more: object): string => JSON.stringify({ messages: MESSAGES, max_tokens: 2, ...more });
const complete = (more: object): string => JSON.stringify({ prompt: "In the", max_tokens: 2, ...more });

const named = (count: number, schema: object): Record<string, object> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`name${i}`, schema]));
const bracketed = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

/** Schemas of which much is made. */
const schemas: fc.Arbitrary<object> = fc.oneof(
  fc.tuple(fc.constantFrom(10, 600, 2500, 8000), fc.double({ min: 0, max: 1, noNaN: true })).map(([count, share]) => ({
    type: "object",
    additionalProperties: false,
    properties: named(count, { type: "integer" }),
    minProperties: Math.floor(share * count),
  })),
  fc.constantFrom(10, 500, 2000).map((count) => ({
    type: "object",
    properties: named(count, { enum: ["a", "b"] }),
    required: Object.keys(named(count, {})),
  })),
  fc.tuple(fc.constantFrom(1, 40, 2000, 1_000_000), fc.constantFrom(0, 1, 1000)).map(([most, least]) => ({
    type: "array",
    items: { type: "string", minLength: least, maxLength: most },
    minItems: least,
    maxItems: most,
  })),
  fc.constantFrom(2, 30, 300).map((count) => ({
    type: "string",
    pattern: `^(${Array.from({ length: count }, (_, i) => `(a|b){0,${i}}c`).join("|")})*$`,
  })),
  fc.constantFrom(100, 18_000).map((length) => ({ type: "string", pattern: `^${"[a-z]?".repeat(length / 6)}$` })),
  fc.constantFrom(3, 30).map((depth) => {
    let schema: object = { type: "string" };
    for (let i = 0; i < depth; i++) schema = { anyOf: [{ type: "array", items: schema }, schema, { type: "integer" }] };
    return depth > 10 ? { type: "array", items: { $ref: "#" } } : schema;
  }),
);

/** Grammars of which much is made. */
const grammars: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(10, 400, 4000).map((length) => `root ::= ${'"a"? '.repeat(length)}`),
  fc
    .constantFrom(3, 200, 3000)
    .map((count) =>
      [
        `root ::= r0`,
        ...Array.from(
          { length: count },
          (_, i) => `r${i} ::= [a-z] r${(i + 1) % count} | r${(i * 7) % count} " " | ""`,
        ),
      ].join("\n"),
    ),
  fc.constantFrom(10, 2000, 100_000).map((most) => `root ::= ([a-z ]{0,${most}} "\\n"){0,${most}}`),
);

/** Texts that a tokenizer takes long for. */
const runs: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom("a", "\n", " ", "é", "1", "<", "字", "😀", "ab ", "\t\n"),
    fc.constantFrom(1000, 25_000, 100_000, 480_000),
  )
  .map(([one, length]) => one.repeat(length / one.length));

/** A sampler at a share of what the strict limits allow. */
const costly = (lines: number, seed: number): string =>
  `import { top_k, dist } from "std"\nsampler long() {\n${"  logit = 30 * tanh(logit / 30)\n".repeat(lines)}}\nchain c = long() |> top_k(8) |> dist(${seed})`;

const MIB = 2 ** 20;

/** Attacks on a server, of all kinds, the same for the same seed. */
export const attacks = (target: Target): fc.Arbitrary<Attack> =>
  fc.oneof(
    { weight: 60, arbitrary: light(target) },
    {
      weight: 6,
      arbitrary: attack("schemas", fc.tuple(schemas, fc.boolean()), ([schema, isTool]) =>
        post(
          target,
          CHAT,
          chat(
            isTool
              ? { tools: [{ type: "function", function: { name: "f", parameters: schema } }], tool_choice: "required" }
              : { response_format: { type: "json_schema", json_schema: { name: "s", schema } } },
          ),
        ),
      ),
    },
    {
      weight: 4,
      arbitrary: attack("grammars", grammars, (grammar) =>
        post(
          target,
          COMPLETIONS,
          complete({
            sampler: `import { greedy } from "std"\nsampler s(g: grammar) { keep allowed(g) }\nchain c(g: grammar) = s(g) |> greedy()`,
            sampler_params: { g: { gbnf: grammar } },
          }),
        ),
      ),
    },
    {
      weight: 6,
      arbitrary: attack("long texts", fc.tuple(runs, fc.integer({ min: 0, max: 2 })), ([text, at]) =>
        at === 0
          ? post(target, COMPLETIONS, complete({ prompt: text }))
          : at === 1
            ? post(target, CHAT, chat({ messages: [{ role: "user", content: text }] }))
            : post(target, "/v1/logits", JSON.stringify({ prompt: text })),
      ),
    },
    {
      weight: 3,
      arbitrary: attack("many messages", fc.constantFrom(10, 1000, 8000), (count) =>
        post(target, CHAT, chat({ messages: Array.from({ length: count }, () => MESSAGES[0]) })),
      ),
    },
    {
      weight: 3,
      arbitrary: attack("many texts", fc.tuple(fc.constantFrom(2, 16, 32, 64, 128), fc.nat(63)), ([n, i]) =>
        post(target, COMPLETIONS, complete({ n, max_tokens: 30, sampler: samplerOf(i), ignore_eos: true })),
      ),
    },
    {
      weight: 4,
      arbitrary: attack(
        "costly samplers",
        fc.tuple(fc.constantFrom(30, 120, 240, 480), fc.nat(1000)),
        ([lines, seed]) =>
          post(target, COMPLETIONS, complete({ max_tokens: 16, sampler: costly(lines, seed), ignore_eos: true })),
      ),
    },
    {
      weight: 5,
      arbitrary: attack("many samplers", fc.nat(1_000_000), (seed) =>
        post(target, "/v1/samplers", JSON.stringify({ sampler: costly(20 + (seed % 50), seed) })),
      ),
    },
    {
      weight: 4,
      arbitrary: attack("slow bodies", fc.integer({ min: 200, max: 4000 }), (milliseconds) =>
        raw(target, async (socket) => {
          socket.write(
            `POST ${COMPLETIONS} HTTP/1.1\r\n${headersOf(target, MIB)}\r\n{"prompt":"${"x".repeat(0.9 * MIB)}`,
          );
          await pause(milliseconds);
          socket.destroy();
        }),
      ),
    },
    {
      weight: 2,
      arbitrary: attack("silent connections", fc.integer({ min: 5, max: 40 }), async (count) => {
        const all = Array.from({ length: count }, () =>
          raw(target, async (socket) => {
            socket.write("POST /v1/completions HTTP/1.1\r\nhost: loc");
            await pause(1000);
            socket.destroy();
          }),
        );
        return (await Promise.all(all)).at(-1)!;
      }),
    },
    {
      weight: 3,
      arbitrary: attack("long fields", fc.constantFrom("user", "sampler_inputs", "model", "x-字"), (name) => {
        const long = "u".repeat(900_000);
        const value = name === "sampler_inputs" ? { [long.slice(0, 1000)]: [1, 2] } : long;
        return post(target, COMPLETIONS, complete({ [name.repeat(name === "x-字" ? 300 : 1)]: value }));
      }),
    },
    {
      weight: 3,
      arbitrary: attack("templates", fc.constantFrom(20, 150, 5000), (levels) => {
        const kwargs = `{"a":${levels > 200 ? JSON.stringify("y".repeat(levels * 100)) : bracketed(levels)}}`;
        return post(
          target,
          CHAT,
          `{"max_tokens":1,"messages":${JSON.stringify(MESSAGES)},"chat_template_kwargs":${kwargs}}`,
        );
      }),
    },
  );
