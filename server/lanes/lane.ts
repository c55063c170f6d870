/**
 * Lanes: whose request it is. What is shared has turns and limits by lane: places, compilers, grammars, tokenizers, connections, bytes.
 */
import type {} from "fastify";
import { networkOf } from "./address.js";

/** Equal for requests of one client. */
export type Lane = string;

/** On whose behalf a request waits for what is shared, and what ends the wait. */
export interface Waiter {
  readonly lane: Lane;
  readonly signal: AbortSignal;
}

declare module "fastify" {
  interface FastifyRequest {
    /** The canonical address of the client; behind a trusted proxy the one that it names. */
    client: string;
  }
}

/** The id of the key of all requests to a server without keys. */
export const ANONYMOUS = "anonymous";

/** The lane of a canonical address: that of its network. */
export const laneOfAddress = (address: string): Lane => `address ${networkOf(address)}`;

/** The lane of a request: its API key, else the address of its client. */
export const laneOf = ({ key, client }: { readonly key?: { readonly id: string }; readonly client: string }): Lane =>
  key === undefined || key.id === ANONYMOUS ? laneOfAddress(client) : `key ${key.id}`;
