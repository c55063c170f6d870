/** A client that reads a stream and takes its times. */
import http from "node:http";

export type Path = "/v1/completions" | "/v1/chat/completions";

interface Streamed {
  readonly status: number;
  readonly text: string;
  /** Events with a piece of text, and the tokens that the server counted. */
  readonly pieces: number;
  readonly tokens: number;
  /** The stream ended as it should. */
  readonly isDone: boolean;
  /** Milliseconds until the first piece, and between two. */
  readonly first: number;
  readonly gaps: readonly number[];
  /** The error that is the answer, or that is in the stream. */
  readonly error: string | undefined;
}

export interface Client {
  /** `path`: default `/v1/completions`. */
  stream(body: object, path?: Path): Promise<Streamed>;
  close(): void;
}

/** A completion has `text`, a chat `delta`. */
interface Choice {
  readonly text?: string;
  readonly delta?: { readonly content?: string | null };
  readonly finish_reason: string | null;
}

const textOf = ({ text, delta }: Choice): string => text ?? delta?.content ?? "";

interface Event {
  readonly choices?: readonly Choice[];
  readonly usage?: { readonly completion_tokens: number } | null;
  readonly error?: { readonly message: string };
}

/** Keeps its connection, unless told otherwise. `from`: the address of this machine that it comes from. */
export function openClient(url: string, key = "none", keepAlive = true, from?: string): Client {
  const agent = new http.Agent({ keepAlive, maxSockets: 1, ...(from !== undefined && { localAddress: from }) });
  const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
  return {
    close: () => agent.destroy(),
    stream: (body, path = "/v1/completions") =>
      new Promise((resolve, reject) => {
        const start = performance.now();
        const request = http.request(url + path, { method: "POST", agent, headers }, (answer) => {
          let [rest, text, pieces, tokens, isDone, first, last] = ["", "", 0, 0, false, NaN, NaN];
          const gaps: number[] = [];
          let error: string | undefined;
          const take = (data: string): void => {
            if (data === "[DONE]") return void (isDone = true);
            const event = JSON.parse(data) as Event;
            error ??= event.error?.message;
            tokens = event.usage?.completion_tokens ?? tokens;
            const choice = event.choices?.[0];
            if (choice === undefined) return;
            text += textOf(choice);
            // the first event of a chat has a role, and the last one a reason
            if (choice.finish_reason !== null || textOf(choice) === "") return;
            const now = performance.now();
            if (pieces++ === 0) first = now - start;
            else gaps.push(now - last);
            last = now;
          };
          answer.setEncoding("utf8").on("data", (part: string) => {
            const events = (rest + part).split("\n\n");
            rest = events.pop()!;
            for (const event of events) if (event.startsWith("data: ")) take(event.slice("data: ".length));
          });
          answer.once("error", reject);
          answer.once("end", () => {
            const status = answer.statusCode!;
            if (status !== 200) error = rest;
            resolve({ status, text, pieces, tokens, isDone, first, gaps, error });
          });
        });
        request.once("error", reject);
        request.end(JSON.stringify({ ...body, stream: true, stream_options: { include_usage: true } }));
      }),
  };
}

/** The value that a share of the numbers do not exceed. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
