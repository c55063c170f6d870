/** A server of the demo model in this process, and its clients. */
import http from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import OpenAI from "openai";
import type { ServeOptions } from "../../server/config/options.js";
import { openServer } from "../../server/serve.js";
import { DEMO_MODEL } from "../model/file.js";

export interface Opened {
  readonly url: string;
  readonly client: OpenAI;
  /** The answer of a POST, as JSON. */
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** A path as text. */
  get(path: string): Promise<string>;
  close(grace?: number): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown> & { readonly error?: Readonly<Record<string, unknown>> };
}

export async function open(options: Partial<ServeOptions> = {}): Promise<Opened> {
  const server = await openServer({
    model: DEMO_MODEL,
    alias: "demo",
    backend: "cpu",
    port: 0,
    sequences: 4,
    contextSize: 256,
    log: process.env["GGSL_LOG"] ? "json" : "off",
    ...options,
  });
  const url = await server.listen();
  return {
    url,
    client: new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 }),
    async post(path, body, headers = {}) {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      const answer = await fetch(url + path, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: text,
      });
      return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Answer["body"] };
    },
    get: async (path) => (await fetch(url + path)).text(),
    close: (grace) => server.close(grace),
  };
}

interface Ready {
  readonly running: number;
  readonly waiting: number;
}
/** What `/ready` says. */
export const ready = async (server: Opened): Promise<Ready> => JSON.parse(await server.get("/ready")) as Ready;

/** Waits until the server is in a state. */
export async function until(server: Opened, accepts: (state: Ready) => boolean): Promise<void> {
  const begin = performance.now();
  for (;;) {
    if (accepts(await ready(server))) return;
    if (performance.now() - begin > 100_000) throw new Error(`still ${JSON.stringify(await ready(server))}`);
    await wait(5);
  }
}

/** The data of a stream's events. */
export const eventsOf = (text: string): unknown[] =>
  text
    .split("\n\n")
    .filter((event) => event.startsWith("data: {"))
    .map((event) => JSON.parse(event.slice("data: ".length)) as unknown);

/** Of loopback addresses: each is another client. */
export function postFrom(
  localAddress: string,
  url: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const options = { method: "POST", agent: false, localAddress };
    const sent = { "content-type": "application/json", ...headers };
    const request = http.request(url, { ...options, headers: sent }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => (text += part));
      answer.once("end", () => resolve({ status: answer.statusCode!, body: text }));
    });
    request.once("error", reject);
    request.end(JSON.stringify(body));
  });
}
