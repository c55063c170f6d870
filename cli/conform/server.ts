/** A server with OpenAI's form for completions: the likeliest tokens after a prompt, and tokens that it picks. */
import { InputError } from "ggsl/core/errors.js";
import { visible } from "@ggsl/compiler/source/visible.js";
import { membersOf } from "../json.js";
import type { Listed } from "./distribution.js";

interface ServerOptions {
  /** With or without `/v1` or `/v1/completions`. */
  readonly url: URL;
  readonly key?: string | undefined;
  /** Fields of each request: the settings that the server samples with. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The most tokens that are listed. */
  readonly logprobs: number;
  readonly signal: AbortSignal;
}

/** A request that fails for a while is sent again after so many milliseconds. */
const AGAIN = [250, 1000, 4000];
const OK = 200;
const UNAVAILABLE = 503;
const WAITS: ReadonlySet<number> = new Set([429, 502, UNAVAILABLE, 504]);
/** Of an answer that is shown. */
const SHOWN = 300;

type Json = Readonly<Record<string, unknown>>;
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export class Server {
  readonly #endpoint: string;
  #hasAnswered = false;

  constructor(private readonly options: ServerOptions) {
    const { href } = options.url;
    const base = href.replace(/[?#].*$/, "").replace(/\/+$/, "");
    this.#endpoint = base.endsWith("/completions") ? base : `${base}${base.endsWith("/v1") ? "" : "/v1"}/completions`;
  }

  /** The likeliest tokens after a prompt. Throws `InputError`. */
  async likeliest(prompt: string): Promise<readonly Listed[]> {
    const [choice] = await this.#ask({ prompt, max_tokens: 1, logprobs: this.options.logprobs });
    const listed = listedIn(choice);
    if (listed.length > 0) return listed;
    throw new InputError(
      `${this.#endpoint} gives no log-probabilities: its answer to \`logprobs: ${this.options.logprobs}\` has none; start the server so that it does`,
      { code: "NO_LOGPROBS" },
    );
  }

  /** Names of `count` tokens after a prompt, or fewer, as many as the server writes at once; undefined for a text that ended. Throws `InputError`. */
  async pick(prompt: string, seed: number, count: number): Promise<readonly (string | undefined)[]> {
    const choices = await this.#ask({ prompt, max_tokens: 1, logprobs: 1, seed, ...(count > 1 && { n: count }) });
    return choices.map(pickedIn);
  }

  async #ask(body: Json): Promise<readonly unknown[]> {
    const { signal, key, fields } = this.options;
    const headers = {
      "content-type": "application/json",
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    };
    for (const again of [...AGAIN, undefined]) {
      const request = {
        method: "POST",
        headers,
        body: JSON.stringify({ ...fields, ...body, stream: false }),
        // thousands of requests listen to the one that is given
        signal: AbortSignal.any([signal]),
      };
      const { status, text } = await this.#answer(request, again !== undefined && this.#hasAnswered);
      if (again !== undefined && WAITS.has(status)) {
        await new Promise((resolve) => setTimeout(resolve, again));
        signal.throwIfAborted();
        continue;
      }
      if (status !== OK) throw this.#unexpected(`status ${status}: ${text}`);
      this.#hasAnswered = true;
      return this.#choices(text);
    }
    throw this.#unexpected("no answer");
  }

  /** @param mayFail servers hang up on some requests of connections that they keep */
  async #answer(request: RequestInit, mayFail: boolean): Promise<{ readonly status: number; readonly text: string }> {
    try {
      const response = await fetch(this.#endpoint, request);
      return { status: response.status, text: await response.text() };
    } catch (error) {
      if (this.options.signal.aborted) throw error;
      if (mayFail) return { status: UNAVAILABLE, text: "" };
      const { message, cause } = error as Error;
      const why = (cause as Error | undefined)?.message ?? message;
      throw new InputError(
        `${this.#endpoint} does not answer: ${visible(why)}; give the address of a running server, as http://127.0.0.1:8080`,
        { code: "SERVER_UNAVAILABLE" },
      );
    }
  }

  #choices(text: string): readonly unknown[] {
    let data: unknown;
    try {
      data = JSON.parse(text);
    } catch {
      throw this.#unexpected(text);
    }
    const choices = listOf(membersOf(data)["choices"]);
    if (choices.length === 0) throw this.#unexpected(text);
    return choices;
  }

  #unexpected(found: string): InputError {
    const shown = found.length > SHOWN ? `${found.slice(0, SHOWN)}...` : found;
    return new InputError(
      `${this.#endpoint} does not answer as OpenAI's API for completions: ${visible(shown.replaceAll(/\s+/g, " "))}`,
      { code: "UNEXPECTED_ANSWER" },
    );
  }
}

/** Servers of llama.cpp list tokens with their ids, others by their texts. */
function listedIn(choice: unknown): Listed[] {
  const { content, top_logprobs: lists } = membersOf(membersOf(choice)["logprobs"]);
  const entries = listOf(membersOf(listOf(content)[0])["top_logprobs"]);
  if (entries.length > 0)
    return entries.flatMap((entry): Listed[] => {
      const { logprob } = membersOf(entry);
      const name = nameOf(entry);
      return name !== undefined && typeof logprob === "number" ? [{ name, logprob }] : [];
    });
  return Object.entries(membersOf(listOf(lists)[0])).flatMap(([name, logprob]): Listed[] =>
    typeof logprob === "number" ? [{ name, logprob }] : [],
  );
}

function nameOf(entry: unknown): string | undefined {
  const { id, token } = membersOf(entry);
  if (typeof id === "number") return `#${id} ${String(token)}`;
  return typeof token === "string" ? token : undefined;
}

/** The picked token; undefined for a text that ended without one. */
function pickedIn(choice: unknown): string | undefined {
  const { text, finish_reason: reason, logprobs } = membersOf(choice);
  const { content, tokens } = membersOf(logprobs);
  const [first] = listOf(tokens);
  const name = nameOf(listOf(content)[0]) ?? (typeof first === "string" ? first : undefined);
  if (name !== undefined) return name;
  return typeof text === "string" && text !== "" ? text : reason === "stop" ? undefined : "";
}
