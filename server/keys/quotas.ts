/**
 * Tokens that keys may have in a minute. Each key has as many as its limit, and what it has used comes back steadily. A text goes on
 * when they are used up, and the next request waits until what it used has come back, so that the rate holds in the long run.
 */
import { Refusal } from "../refusal.js";
import type { ApiKey } from "./file.js";

const SECONDS = 60;

/** OpenAI's names. */
export const QUOTA_HEADERS = {
  most: "x-ratelimit-limit-tokens",
  left: "x-ratelimit-remaining-tokens",
  reset: "x-ratelimit-reset-tokens",
} as const;

interface Account {
  /** What is left; below 0 for texts that took more. */
  left: number;
  /** When it was, in milliseconds. */
  since: number;
  /** Tokens of texts that run, beyond those that were counted. */
  readonly running: Set<Use>;
}

interface Use {
  readonly generated: () => number;
  counted: number;
}

export class Quotas {
  readonly #accounts = new Map<string, Account>();
  readonly #now: () => number;

  /** @param now milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * A request begins, whose prompts have some tokens. Throws a `Refusal` (429, with the seconds to wait) if they are not left; a request
   * that has more than a minute does needs all of them.
   * @param generated the tokens of its texts so far; they count until the result is disposed
   */
  begin(key: ApiKey, tokens: number, generated: () => number): Disposable {
    const most = key.limits.tokensPerMinute;
    if (most === Infinity) return { [Symbol.dispose]: () => undefined };
    const account = this.#present(key);
    const needed = Math.min(Math.max(1, tokens), most);
    if (account.left < needed) {
      const retryAfter = Math.max(1, Math.ceil(((needed - account.left) * SECONDS) / most));
      const message = `the key may have ${most} tokens a minute, and ${remaining(account)} are left, for ${tokens} of this prompt: try again in ${retryAfter} s`;
      throw new Refusal("rate_limit_exceeded", message, { retryAfter });
    }
    account.left -= tokens;
    const use: Use = { generated, counted: 0 };
    account.running.add(use);
    return {
      [Symbol.dispose]: () => {
        count(account, use);
        account.running.delete(use);
      },
    };
  }

  /** OpenAI's headers; none for a key without a limit. */
  headersOf(key: ApiKey): Readonly<Record<string, string>> {
    const most = key.limits.tokensPerMinute;
    if (most === Infinity) return {};
    const account = this.#present(key);
    return {
      [QUOTA_HEADERS.most]: String(most),
      [QUOTA_HEADERS.left]: String(remaining(account)),
      [QUOTA_HEADERS.reset]: durationText(((most - account.left) * SECONDS) / most),
    };
  }

  /** With what has come back, and what texts have used since. */
  #present({ id, limits: { tokensPerMinute: most } }: ApiKey): Account {
    const now = this.#now();
    const account = this.#accounts.get(id) ?? { left: most, since: now, running: new Set<Use>() };
    this.#accounts.set(id, account);
    for (const use of account.running) count(account, use);
    account.left = Math.min(most, account.left + (most * (now - account.since)) / (1000 * SECONDS));
    account.since = now;
    return account;
  }
}

const remaining = ({ left }: Account): number => Math.max(0, Math.floor(left));

function count(account: Account, use: Use): void {
  const now = use.generated();
  account.left -= now - use.counted;
  use.counted = now;
}

/** Seconds as OpenAI's API writes them: `59s`, `1m30s`. */
function durationText(seconds: number): string {
  const whole = Math.ceil(Math.max(0, seconds));
  return whole < SECONDS ? `${whole}s` : `${Math.floor(whole / SECONDS)}m${whole % SECONDS}s`;
}
