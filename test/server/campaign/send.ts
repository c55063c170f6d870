/** How hostile clients send. Each resolves to the status of the answer, or to what became of the connection. */
import http from "node:http";
import net from "node:net";

export type Outcome = number | "closed" | "left";

/** Milliseconds: longer than an answer takes, shorter than a campaign has for all. */
const PATIENCE = 30_000;

export interface Target {
  readonly url: string;
  /** Without one the address counts. */
  readonly key?: string | undefined;
  /** The address of this machine that it comes from. */
  readonly from?: string | undefined;
}

export const keyOf = ({ key }: Target): string => (key === undefined ? "" : `authorization: Bearer ${key}\r\n`);

export const headersOf = (target: Target, length: number): string =>
  `host: localhost\r\n${keyOf(target)}content-type: application/json\r\ncontent-length: ${length}\r\n`;

export function post({ url, key, from }: Target, path: string, body: string): Promise<Outcome> {
  return new Promise((resolve) => {
    const headers = {
      "content-type": "application/json",
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    };
    const options = {
      method: "POST",
      headers,
      agent: false,
      timeout: PATIENCE,
      ...(from !== undefined && { localAddress: from }),
    };
    const request = http.request(url + path, options, (answer) => {
      answer.resume();
      answer.once("close", () => resolve(answer.statusCode!));
    });
    // a body that is too large is not read to its end
    request.once("error", () => resolve("closed"));
    request.once("timeout", () => request.destroy(new Error("no answer")));
    request.end(body);
  });
}

/** Sends bytes as they are; resolves to the status if there is one. */
export function raw(
  { url, from }: Target,
  act: (socket: net.Socket, received: Promise<void>) => Promise<void> | void,
): Promise<Outcome> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = net.connect({
      host: hostname,
      port: Number(port),
      allowHalfOpen: true,
      ...(from !== undefined && { localAddress: from }),
    });
    let text = "";
    const received = new Promise<void>((got) => socket.once("data", () => got()));
    socket.setEncoding("latin1").on("data", (part: string) => (text = (text + part).slice(0, 1000)));
    socket.setTimeout(PATIENCE, () => socket.destroy());
    socket.once("error", () => socket.destroy());
    socket.once("close", () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? NaN) || "closed"));
    socket.once("end", () => socket.end());
    socket.once("connect", () => void act(socket, received));
  });
}

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
