/** What a hostile client does with one connection, where it costs the server little. */
import http from "node:http";
import * as fc from "fast-check";
import type { Generator } from "../../fuzz/core/generator.js";
import { apiBodies } from "../../fuzz/generators/apiBodies.js";
import { programTexts } from "../../fuzz/generators/programs.js";
import { sizes } from "../../fuzz/generators/sizes.js";
import { specs } from "../../fuzz/generators/specs.js";
import { samplerOf } from "./load.js";
import { headersOf, keyOf, pause, post, raw, type Outcome, type Target } from "./send.js";

export interface Attack {
  readonly kind: string;
  readonly run: () => Promise<Outcome>;
}

const bracketed = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
const chained = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
const membersOf = (count: number): string =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i])));
const itemsOf = (count: number): string => `[${"0,".repeat(count)}0]`;

/** JSON that is deep, wide, or both. */
const shapes: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(100, 200, 5000, 50_000, 400_000).map(bracketed),
  fc.constantFrom(100, 200, 5000, 100_000).map(chained),
  fc.constantFrom(100, 5000, 50_000).map(membersOf),
  fc.constantFrom(1000, 300_000, 500_000).map(itemsOf),
  fc.constantFrom(100, 1100, 900_000).map((length) => `{"${"n".repeat(length)}":1}`),
);

/** Requests whose first lines are not as they should be. */
const heads: fc.Arbitrary<string> = fc.oneof(
  fc
    .constantFrom("/%", "/v1/models/%ff", "//", "*", `/${"a".repeat(9000)}`, `/${"a".repeat(40_000)}`)
    .map((path) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n`),
  fc.constantFrom(...http.METHODS, "FOO").map((method) => `${method} /v1/completions HTTP/1.1\r\nhost: localhost\r\n`),
  fc
    .constantFrom("evil.example", "[::1", "", "localhost.evil.example")
    .map((host) => `GET /v1/models HTTP/1.1\r\nhost: ${host}\r\n`),
  fc
    .constantFrom(
      "expect: tea",
      `x-a: ${"a".repeat(30_000)}`,
      "content-length: -1",
      "transfer-encoding: gzip",
      "content-type: ;;",
      "content-encoding: br",
      "upgrade: websocket",
    )
    .map((header) => `POST /v1/completions HTTP/1.1\r\nhost: localhost\r\n${header}\r\n`),
);

const streamBody = (i: number): string =>
  JSON.stringify({ prompt: "In the", sampler: samplerOf(i % 64), max_tokens: 200, stream: true, ignore_eos: true });

const text = (generator: Generator): fc.Arbitrary<string> => generator.cases.map((c) => generator.show!(c).text);
const sampler: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: programTexts },
  { weight: 1, arbitrary: text(sizes).map((long) => long.slice(0, 100_000)) },
  { weight: 3, arbitrary: text(specs) },
);

export const attack = <T>(
  kind: string,
  cases: fc.Arbitrary<T>,
  run: (c: T) => Promise<Outcome>,
): fc.Arbitrary<Attack> => cases.map((c) => ({ kind, run: () => run(c) }));

/** Attacks on a server that cost it little, the same for the same seed. */
export const light = (target: Target): fc.Arbitrary<Attack> => {
  const complete = (more: object): string => JSON.stringify({ prompt: "In the", max_tokens: 2, ...more });
  return fc.oneof(
    {
      weight: 50,
      arbitrary: attack("sampler", sampler, (source) => post(target, "/v1/completions", complete({ sampler: source }))),
    },
    {
      weight: 8,
      arbitrary: attack("compile", sampler, (source) =>
        post(target, "/v1/samplers", JSON.stringify({ sampler: source })),
      ),
    },
    {
      weight: 10,
      arbitrary: attack("broken JSON", fc.tuple(fc.nat(60), fc.string()), ([at, more]) =>
        post(target, "/v1/completions", complete({ temperature: 1 }).slice(0, at) + more),
      ),
    },
    {
      weight: 10,
      arbitrary: attack(
        "wrong fields",
        fc.tuple(
          fc.constantFrom("prompt", "n", "stop", "sampler_params", "sampler_inputs", "logit_bias", "id_slot"),
          fc.jsonValue(),
        ),
        ([name, value]) => post(target, "/v1/completions", complete({ [name]: value })),
      ),
    },
    {
      weight: 10,
      arbitrary: attack("APIs", apiBodies, ([path, body]) => post(target, path, body)),
    },
    {
      weight: 8,
      arbitrary: attack(
        "shapes",
        fc.tuple(
          fc.constantFrom(
            ...["/v1/completions", "/v1/chat/completions", "/v1/samplers", "/v1/logits"],
            ...[
              "/v1/responses",
              "/v1/messages",
              "/v1/messages/count_tokens",
              "/api/chat",
              "/api/generate",
              "/api/show",
            ],
          ),
          fc.constantFrom(
            "prompt",
            "input",
            "system",
            "options",
            "messages",
            "tools",
            "response_format",
            "chat_template_kwargs",
            "sampler",
            "sampler_params",
            "logit_bias",
            "nothing",
          ),
          shapes,
          fc.boolean(),
        ),
        ([path, name, shape, isText]) =>
          post(target, path, `{"max_tokens":1,"${name}":${isText ? JSON.stringify(shape) : shape}}`),
      ),
    },
    {
      weight: 4,
      arbitrary: attack(
        "odd names",
        fc.tuple(fc.string({ unit: "binary", maxLength: 200 }), fc.jsonValue()),
        ([name, value]) => post(target, "/v1/completions", complete({ [name]: value })),
      ),
    },
    {
      weight: 8,
      arbitrary: attack("odd requests", heads, (head) =>
        raw(target, async (socket) => {
          socket.write(`${head}${keyOf(target)}connection: close\r\n\r\n`);
          await pause(500);
          socket.destroy();
        }),
      ),
    },
    {
      weight: 1,
      arbitrary: attack("large body", fc.constant(0), () =>
        post(target, "/v1/completions", complete({ prompt: "x".repeat(2 ** 21) })),
      ),
    },
    {
      weight: 4,
      arbitrary: attack("slow sender", fc.integer({ min: 1, max: 8 }), (steps) =>
        raw(target, async (socket) => {
          const body = complete({});
          socket.write(`POST /v1/completions HTTP/1.1\r\n${headersOf(target, body.length)}\r\n`);
          for (let i = 0; i < steps && !socket.destroyed; i++) {
            await pause(60);
            socket.write(body[i]!);
          }
          socket.destroy();
        }),
      ),
    },
    {
      weight: 5,
      arbitrary: attack("half-closed", fc.nat(), (i) =>
        raw(target, (socket) => {
          const body = streamBody(i).replace('"max_tokens":200', '"max_tokens":5');
          socket.end(
            `POST /v1/completions HTTP/1.1\r\n${headersOf(target, body.length)}connection: close\r\n\r\n${body}`,
          );
        }),
      ),
    },
    {
      weight: 8,
      arbitrary: attack("leaves", fc.nat(), (i) =>
        raw(target, async (socket, received) => {
          const body = streamBody(i);
          socket.write(`POST /v1/completions HTTP/1.1\r\n${headersOf(target, body.length)}\r\n${body}`);
          await Promise.race([received, pause(1 + (i % 300))]);
          socket.resetAndDestroy();
        }),
      ),
    },
    {
      weight: 4,
      arbitrary: attack("no HTTP", fc.uint8Array({ minLength: 1, maxLength: 200 }), (bytes) =>
        raw(target, async (socket) => {
          socket.end(bytes);
          await pause(500);
          socket.destroy();
        }),
      ),
    },
  );
};
