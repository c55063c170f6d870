/** A link between a client and a worker: a TCP proxy that counts, delays and narrows. */
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** What went over a link. */
interface Traffic {
  /** Bytes to the worker. */
  up: number;
  /** Bytes to the client. */
  down: number;
  /** How often the client spoke again after the worker had. */
  turns: number;
}

export interface Link {
  readonly port: number;
  readonly traffic: Traffic;
  close(): Promise<void>;
}

export interface LinkOptions {
  /** The worker's, at the loopback address. */
  readonly port: number;
  /** Each way. */
  readonly milliseconds?: number;
  /** Bits in a second, each way; default: no limit. */
  readonly bits?: number;
}

/** Opens a link on a port of its own. */
export async function openLink({ port, milliseconds = 0, bits = Infinity }: LinkOptions): Promise<Link> {
  const traffic: Traffic = { up: 0, down: 0, turns: 0 };
  let last: keyof Traffic | undefined;
  const open = new Set<Socket>();
  const carry = (from: Socket, to: Socket, direction: "up" | "down"): void => {
    const waiting: { readonly at: number; readonly data: Buffer }[] = [];
    let free = 0;
    let timer: NodeJS.Immediate | NodeJS.Timeout | undefined;
    // timers are of whole milliseconds: the last one is waited for actively
    const flush = (): void => {
      timer = undefined;
      while (waiting.length > 0 && waiting[0]!.at <= performance.now()) to.write(waiting.shift()!.data);
      const [next] = waiting;
      if (!next) return;
      const left = next.at - performance.now();
      timer = left > 2 ? setTimeout(flush, left - 1.5) : setImmediate(flush);
    };
    from.on("data", (data) => {
      traffic[direction] += data.length;
      if (direction === "up" && last === "down") traffic.turns++;
      last = direction;
      if (milliseconds === 0 && bits === Infinity) return void to.write(data);
      free = Math.max(free, performance.now()) + (8000 * data.length) / bits;
      waiting.push({ at: free + milliseconds, data });
      if (!timer) flush();
    });
  };
  const server = createServer((client) => {
    const worker = connect(port, "127.0.0.1");
    for (const [one, other] of [
      [client, worker],
      [worker, client],
    ] as const) {
      open.add(one);
      one.setNoDelay();
      one
        .on("error", () => undefined)
        .on("close", () => {
          open.delete(one);
          other.destroy();
        });
    }
    carry(client, worker, "up");
    carry(worker, client, "down");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    traffic,
    close: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
