/** Workers of the built command on the loopback address, and programs that only pretend to be some. */
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { start, type Place, type Running } from "../cli/run.js";

export interface Worker extends Running {
  readonly port: number;
}

/** Starts a worker on a free port. */
export const startWorker = (...args: readonly string[]): Promise<Worker> => startWorkerIn({}, ...args);

/** The same in a place. */
export async function startWorkerIn(place: Place, ...args: readonly string[]): Promise<Worker> {
  const free = await pretend(() => undefined);
  await free.close();
  const { port } = free;
  const words = ["worker", "--backend", "cpu", "--threads", "1", "--listen", `127.0.0.1:${port}`, ...args];
  const running = start(words, place);
  await running.until(/lends CPU/);
  return { ...running, port };
}

/** Listens on a free port and treats connections so. */
export async function pretend(
  treat: (socket: Socket) => void,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const open = new Set<Socket>();
  const server: Server = createServer((socket) => {
    open.add(socket.on("error", () => undefined));
    treat(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
