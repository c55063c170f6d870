/**
 * Limits of connections, together and by address. A few beyond them may say what they want, so that they are refused in the form of all
 * refusals; more are closed at once.
 */
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { guarded } from "../guarded.js";
import { canonicalAddress } from "../lanes/address.js";
import { laneOfAddress, type Lane } from "../lanes/lane.js";
import type { Proxies } from "../lanes/proxies.js";
import { Refusal } from "../refusal.js";

export interface ConnectionLimits {
  /** Together. */
  readonly connections: number;
  /** Of an address; those of a trusted proxy are of many clients, and only count together. */
  readonly addressConnections: number;
}

/** Connections that wait to be refused, and milliseconds for them to say what they want. */
export const REFUSED = { most: 64, milliseconds: 2000 } as const;
/** Seconds after which a client tries again. */
const RETRY_AFTER = 1;

export class Connections {
  #count = 0;
  #waiting = 0;
  readonly #lanes = new Map<Lane, number>();
  readonly #refusals = new WeakMap<Socket, Refusal>();

  constructor(
    private readonly limits: ConnectionLimits,
    private readonly proxies: Proxies,
  ) {}

  /** Those that are open and were not refused. */
  get count(): number {
    return this.#count;
  }

  /** Why nothing that comes on a connection is answered. */
  refusalOf(socket: Socket): Refusal | undefined {
    return this.#refusals.get(socket);
  }

  /** Counts the connections of a server. */
  watch(server: Server): void {
    server.on(
      "connection",
      guarded("connection", (socket: Socket) => {
        const address = canonicalAddress(socket.remoteAddress ?? "") ?? "";
        const lane = this.proxies.has(address) ? undefined : laneOfAddress(address);
        const refusal = this.#full(lane);
        if (!refusal) this.#open(socket, lane);
        else {
          // connections that nobody uses make room for the next
          if (refusal.reason === "server_full") server.closeIdleConnections();
          this.#refuse(socket, refusal);
        }
      }),
    );
  }

  #full(lane: Lane | undefined): Refusal | undefined {
    const { connections, addressConnections } = this.limits;
    if (lane !== undefined && (this.#lanes.get(lane) ?? 0) >= addressConnections)
      return new Refusal("too_many_connections", `an address can have ${addressConnections} connections at once`, {
        retryAfter: RETRY_AFTER,
      });
    if (this.#count < connections) return undefined;
    return new Refusal("server_full", `the server has its ${connections} connections: try again`, {
      retryAfter: RETRY_AFTER,
    });
  }

  #open(socket: Socket, lane: Lane | undefined): void {
    const add = (one: 1 | -1): void => {
      this.#count += one;
      if (lane === undefined) return;
      const count = (this.#lanes.get(lane) ?? 0) + one;
      if (count > 0) this.#lanes.set(lane, count);
      else this.#lanes.delete(lane);
    };
    add(1);
    socket.once(
      "close",
      guarded("close", () => add(-1)),
    );
  }

  #refuse(socket: Socket, refusal: Refusal): void {
    if (this.#waiting >= REFUSED.most) return void socket.destroy();
    this.#waiting++;
    this.#refusals.set(socket, refusal);
    const timer = setTimeout(
      guarded("connection", () => socket.destroy()),
      REFUSED.milliseconds,
    ).unref();
    socket.once(
      "close",
      guarded("close", () => {
        this.#waiting--;
        clearTimeout(timer);
      }),
    );
  }
}
