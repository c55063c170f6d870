/** Answers of parts that the demo model does not write: thoughts, and calls token by token. */
import type { Part } from "../../../runtime/chat/answer.js";
import type { GenerationStats, Piece } from "../../../runtime/generation/pieces.js";
import type { Model } from "../../../runtime/models/model.js";
import type { AnswerWriter, TextApi } from "../../../server/apis/api.js";
import { openUsage } from "../../../server/engine/texts.js";
import { Refusal } from "../../../server/refusal.js";
import type { Body } from "../../../server/request/fields.js";

/** Two thoughts, a text in two pieces, and two calls whose arguments come in parts. A number has more digits than JavaScript's. */
export const PARTS: readonly (readonly Part[])[] = [
  [{ part: "reasoning", text: "Let me " }],
  [{ part: "reasoning", text: "see." }],
  [],
  [{ part: "content", text: "I look" }],
  [
    { part: "content", text: " it up." },
    { part: "call", call: { index: 0, id: "abcdefgh1", name: "find", arguments: "" } },
  ],
  [{ part: "call", call: { index: 0, arguments: '{"verse":12345' } }],
  [{ part: "call", call: { index: 0, arguments: "678901234567890}" } }],
  [{ part: "call", call: { index: 1, id: "abcdefgh2", name: "read", arguments: "{}" } }],
];

interface Written {
  /** The text of the stream. */
  readonly stream: string;
  readonly whole: object;
}

const openWriter = (api: TextApi, body: Body, isStream: boolean): AnswerWriter =>
  api.open({
    asked: { given: { endpoint: "chat", body: { messages: [] } }, body, origins: new Map() },
    model: {} as Model,
    name: "demo",
    texts: 1,
    promptTokens: 7,
    isStream,
    started: performance.now(),
  });

const USAGE = { ...openUsage(), promptTokens: 7, cachedTokens: 3, generatedTokens: 9 };

interface WrittenOptions {
  readonly body?: Body;
  readonly parts?: typeof PARTS;
  readonly stats?: Partial<GenerationStats>;
  readonly isCut?: boolean;
}

/** Writes parts as a stream and as a whole. */
export function written(
  api: TextApi,
  { body = {}, parts = PARTS, stats = {}, isCut = false }: WrittenOptions = {},
): Written {
  const piece = { token: 1, text: "" } as Piece;
  const reasoningTokens = parts.filter((some) => some.some(({ part }) => part === "reasoning")).length;
  const ended = { stats: { finish: "end", ...stats } as GenerationStats, parts: [], isCut, reasoningTokens };
  const writer = openWriter(api, body, true);
  const events = [
    ...writer.begin(),
    ...parts.flatMap((some) => writer.piece(0, piece, some)),
    ...writer.end(0, ended),
    ...writer.finish(USAGE),
  ];
  const own = openWriter(api, body, false);
  for (const some of parts) own.piece(0, piece, some);
  own.end(0, ended);
  return { stream: events.map(api.stream.text).join(""), whole: own.whole(USAGE) };
}

/** What a stream that fails after its first part ends with. */
export function failed(api: TextApi): string {
  const writer = openWriter(api, {}, true);
  const before = [...writer.begin(), ...writer.piece(0, { token: 1, text: "" }, PARTS[3]!)];
  const after = writer.fail(new Refusal("model_failed", "the device failed", {}), "id-1");
  return [...before, ...after].map(api.stream.text).join("");
}
