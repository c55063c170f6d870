/** Writes the texts of a request, all at once. */
import type { Generation, GenerationStats, Piece } from "ggsl/generation/pieces.js";
import type { Metrics } from "../metrics/metrics.js";
import type { Ticket } from "../queue/queue.js";
import type { Engine } from "./engine.js";
import { afterChain, type PlannedText } from "./plan.js";

/** Where texts go. A text goes on when the promise of its last piece is resolved. */
export interface Sink {
  piece(index: number, piece: Piece): Promise<void> | undefined;
  /** The text is over. True from `piece` on would have ended it. */
  end(index: number, stats: GenerationStats): Promise<void> | undefined;
  /** Whether the sink wants no more of a text. */
  isFull(index: number): boolean;
}

interface Run {
  readonly engine: Engine;
  readonly texts: readonly PlannedText[];
  readonly ticket: Ticket;
  readonly place: number | undefined;
  readonly metrics: Metrics;
  readonly sink: Sink;
  /** Ends all texts. */
  readonly abort: AbortController;
  /** When the request came, as of `performance.now`. */
  readonly start: number;
}

/** What the request used. */
export interface Usage {
  /** Each prompt counts once. */
  promptTokens: number;
  /** Those of them that were not computed. */
  cachedTokens: number;
  generatedTokens: number;
  /** Tokens that were taken back because of phrases, by text. */
  readonly takenBack: number[];
  /** Tokens that were drafted, and those of them that were picked; undefined for texts without drafts. */
  drafted?: { tokens: number; accepted: number };
  /** Milliseconds until the first token. */
  firstToken: number | undefined;
  /** What ended each text. */
  readonly finishes: string[];
}

export const openUsage = (): Usage => ({
  promptTokens: 0,
  cachedTokens: 0,
  generatedTokens: 0,
  takenBack: [],
  firstToken: undefined,
  finishes: [],
});

/** Tokens that the texts took, with those that were taken back. */
export const writtenTokens = ({ generatedTokens, takenBack }: Usage): number =>
  takenBack.reduce((sum, count) => sum + count, generatedTokens);

/** Resolves when all texts are written; the first error ends all of them. */
export async function writeTexts(run: Run, usage: Usage): Promise<void> {
  const { engine, texts, place } = run;
  // arguments that are wrong are found here, before any text begins
  const generations = texts.map(({ prompt, request }) =>
    engine.batch.add(prompt, { ...request, ...(place !== undefined && { place }) }),
  );
  try {
    await Promise.all(generations.map((generation, index) => write(run, usage, generation, index)));
  } catch (error) {
    run.abort.abort(error);
    throw error;
  } finally {
    run.metrics.tokens("prompt", usage.promptTokens);
    run.metrics.tokens("generated", usage.generatedTokens);
    if (usage.drafted) run.metrics.drafted(usage.drafted.tokens, usage.drafted.accepted);
  }
}

async function write(
  { texts, ticket, metrics, sink, start }: Run,
  usage: Usage,
  generation: Generation,
  index: number,
): Promise<void> {
  const { ends, afterChain: likeliest, request } = texts[index]!;
  let last: number | undefined;
  try {
    await ticket.place(index);
    for await (const piece of generation) {
      const now = performance.now();
      usage.generatedTokens++;
      if (request.bannedPhrases) usage.takenBack[index] = generation.stats().takenBackTokens ?? 0;
      usage.firstToken ??= now - start;
      if (last === undefined) metrics.firstToken((now - start) / 1000);
      else metrics.nextToken((now - last) / 1000);
      last = now;
      if (ends?.has(piece.token)) break;
      const written = sink.piece(index, likeliest === undefined ? piece : afterChain(piece, likeliest));
      if (written) await written;
      if (sink.isFull(index)) break;
    }
    const stats = generation.stats();
    if (stats.takenBackTokens !== undefined) usage.takenBack[index] = stats.takenBackTokens;
    const isFirst = texts.findIndex(({ prompt }) => prompt === texts[index]!.prompt) === index;
    if (isFirst) {
      usage.promptTokens += stats.promptTokens;
      usage.cachedTokens += stats.promptTokens - stats.computedPromptTokens;
    }
    if (stats.drafted !== undefined) {
      usage.drafted ??= { tokens: 0, accepted: 0 };
      usage.drafted.tokens += stats.drafted;
      usage.drafted.accepted += stats.accepted ?? 0;
    }
    await sink.end(index, stats);
    usage.finishes[index] = sink.isFull(index) ? "stop" : (stats.finish ?? "stop");
  } finally {
    ticket.release(index);
  }
}
