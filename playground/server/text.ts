/** A text of `/v1/completions`, as its events arrive. */
import type { Token } from "ggsl/models/thread/messages.js";
import type { TextEnd, TextTask, WrittenText } from "../model/types.js";
import { refusalText, ServerError, type Connection } from "./connection.js";

const ALTERNATIVES = 8;

interface Event {
  readonly error?: { readonly message?: string };
  readonly choices: readonly Choice[];
}

interface Choice {
  readonly text: string;
  readonly finish_reason: "stop" | "length" | null;
  readonly stop_reason?: string;
  readonly measures?: Readonly<Record<string, number>>;
  readonly logprobs: {
    readonly token_logprobs: readonly number[];
    readonly top_logprobs: readonly Readonly<Record<string, number>>[];
  } | null;
}

const ENDS = { stop: "end", length: "maxTokens" } as const;

export function writeText(server: Connection, task: TextTask): WrittenText {
  const abort = new AbortController();
  let resolve: (end: TextEnd) => void;
  const end = new Promise<TextEnd>((done) => (resolve = done));
  async function* tokens(): AsyncGenerator<Token> {
    let count = 0;
    let start = performance.now();
    let finish = "cancelled";
    let stoppedBy: string | undefined;
    try {
      const { signal } = abort;
      const accept = "text/event-stream";
      const response = await server.post("v1/completions", bodyOf(task), { signal, accept });
      for await (const event of eventsOf(response)) {
        if (event.error) throw new ServerError(`The server refuses: ${refusalText(event)}`);
        const [choice] = event.choices;
        if (!choice) continue;
        if (choice.finish_reason) finish = ENDS[choice.finish_reason];
        stoppedBy ??= choice.stop_reason;
        const token = tokenOf(choice);
        if (!token) continue;
        if (count++ === 0) start = performance.now();
        yield token;
      }
    } catch (error) {
      if (!abort.signal.aborted) throw error;
    }
    const seconds = (performance.now() - start) / 1000;
    const tokensPerSecond = count > 1 ? (count - 1) / seconds : 0;
    resolve({ finish, ...(stoppedBy !== undefined && { stoppedBy }), generatedTokens: count, tokensPerSecond });
  }
  return { [Symbol.asyncIterator]: tokens, cancel: () => abort.abort(), end };
}

/** The program itself; with values of static parameters, which are no part of it, its graph. */
function bodyOf({ request, spec, hasOpenSeed, uniforms, prompt, maxTokens, bannedPhrases }: TextTask): object {
  const banned = bannedPhrases.length > 0 && { banned_phrases: bannedPhrases };
  const common = { prompt, max_tokens: maxTokens, stream: true, logprobs: ALTERNATIVES, measures: true, ...banned };
  const params = Object.keys(uniforms).length > 0 && { sampler_params: uniforms };
  const isProgram = request.kind === "program";
  if (Object.keys(request.statics).length > 0) return { ...common, sampler: JSON.parse(spec) as object, ...params };
  return {
    ...common,
    sampler: request.text,
    ...(isProgram && request.chain !== undefined && { sampler_chain: request.chain }),
    ...params,
    ...(hasOpenSeed && !Object.hasOwn(uniforms, "seed") && { seed: request.seed }),
  };
}

/** Each event with a token has its logarithm of probability. */
function tokenOf({ text, logprobs, measures }: Choice): Token | undefined {
  const logprob = logprobs?.token_logprobs[0];
  if (logprob === undefined) return undefined;
  const likely = Object.entries(logprobs!.top_logprobs[0] ?? {});
  return {
    token: -1,
    text,
    logprob,
    probability: Math.exp(logprob),
    ...(measures && { measures }),
    alternatives: likely.map(([own, of]) => ({ token: -1, text: own, probability: Math.exp(of) })),
  };
}

async function* eventsOf(response: Response): AsyncGenerator<Event> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const events = (rest + value).split("\n\n");
    rest = events.pop()!;
    for (const event of events)
      if (event.startsWith("data: {")) yield JSON.parse(event.slice("data: ".length)) as Event;
  }
}
