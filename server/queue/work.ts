/** What each lane has at work, and its limits. */
import { greatest } from "@ggsl/compiler/core/extremes.js";
import type { Lane } from "../lanes/lane.js";
import type { LaneLimits } from "../lanes/limits.js";
import { Refusal } from "../refusal.js";
import type { Ticket } from "./ticket.js";

interface AtWork {
  requests: number;
  texts: number;
  tokens: number;
}

export class Work {
  readonly #lanes = new Map<Lane, AtWork>();

  textsOf(lane: Lane): number {
    return this.#lanes.get(lane)?.texts ?? 0;
  }

  /** The limit that the next text of a request waits for. */
  exceeded({ asked: { lane, limits }, running, nextTokens }: Ticket): keyof LaneLimits | undefined {
    const now = this.#lanes.get(lane);
    if (!now) return undefined;
    const { requests = Infinity, texts = Infinity, tokens = Infinity } = limits;
    if (now.texts >= texts) return "texts";
    if (now.tokens + nextTokens > tokens) return "tokens";
    return running === 0 && now.requests >= requests ? "requests" : undefined;
  }

  /** The next text of a request begins. */
  begin({ asked: { lane }, running, nextTokens }: Ticket): void {
    const now = this.#lanes.get(lane) ?? { requests: 0, texts: 0, tokens: 0 };
    this.#lanes.set(lane, now);
    if (running === 0) now.requests++;
    now.texts++;
    now.tokens += nextTokens;
  }

  /** A text of a request has ended. */
  end({ asked: { lane }, running }: Ticket, tokens: number): void {
    const now = this.#lanes.get(lane)!;
    if (running === 0) now.requests--;
    now.texts--;
    now.tokens -= tokens;
    if (now.texts === 0) this.#lanes.delete(lane);
  }
}

/** Throws a `Refusal` for a text that the limits of its lane never allow. */
export function checkTokens(texts: readonly number[], { tokens = Infinity }: Partial<LaneLimits>): void {
  const longest = greatest(texts);
  if (longest > tokens)
    throw new Refusal(
      "invalid_request",
      `a text can have ${longest} tokens, with its prompt, and this client may have ${tokens} at once: shorten the prompt, or give a smaller \`max_tokens\``,
      { param: "max_tokens" },
    );
}
