/** Servers that listen, and their end. */
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { InputError } from "ggsl/core/errors.js";
import { DEFAULTS, FLUSH } from "./config/options.js";
import { guarded } from "./guarded.js";
import type { Log } from "./log.js";

/** What listens until it is closed. */
interface Listening {
  readonly log: Log;
  listen(): Promise<string>;
  close(grace?: number): Promise<void>;
}

/** Listens, and resolves to the address. Throws `InputError` (`ADDRESS_UNAVAILABLE`). */
export async function listen(
  app: FastifyInstance,
  {
    host = DEFAULTS.host,
    port = DEFAULTS.port,
  }: { readonly host?: string | undefined; readonly port?: number | undefined },
): Promise<string> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reasons: Readonly<Record<string, string>> = {
      EADDRINUSE: "another program has it: end that, or choose another --port",
      EACCES: "it may not be used: choose a --port above 1023",
      EADDRNOTAVAIL: "this machine does not have the address: choose another --host",
      ENOTFOUND: "the host is not known: choose another --host",
    };
    throw new InputError(`cannot listen at ${host} port ${port}: ${reasons[code ?? ""] ?? message}`, {
      code: "ADDRESS_UNAVAILABLE",
      cause: error,
    });
  }
  const { address, family, port: taken } = app.server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${taken}`;
}

/** Answers are written by now: connections without a request, or with a part of one, need not be waited for. */
export async function closeApp(app: FastifyInstance): Promise<void> {
  const timer = setTimeout(
    guarded("flush", () => app.server.closeAllConnections()),
    FLUSH,
  );
  await app.close();
  clearTimeout(timer);
}

/** Listens until SIGTERM or SIGINT. */
export async function untilAsked(server: Listening, started: (url: string) => void): Promise<void> {
  let url: string;
  const asked = new Promise<void>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve());
  });
  try {
    url = await server.listen();
  } catch (error) {
    await server.close(0);
    throw error;
  }
  started(url);
  await asked;
  server.log.info({}, "ending: running texts are written to their end");
  await server.close();
}
