/** Proxies whose word about a client's address is taken. */
import { BlockList, isIP } from "node:net";
import type { IncomingHttpHeaders } from "node:http";
import { invalid } from "ggsl/core/errors.js";
import { canonicalAddress } from "./address.js";

/** Proxies in a row; the headers of more are not read to their end. */
const MOST_HOPS = 64;
/** For a connection that has gone. */
const UNKNOWN = "unknown";

const familyOf = (address: string): "ipv4" | "ipv6" => (isIP(address) === 4 ? "ipv4" : "ipv6");

export class Proxies {
  readonly #trusted = new BlockList();

  /** @param list addresses and networks such as `10.0.0.0/8`. Throws `InputError` for one that is neither. */
  constructor(list: readonly string[] = []) {
    for (const entry of list) {
      const [text = "", bits, ...more] = entry.split("/");
      const address = canonicalAddress(text);
      const most = address !== undefined && isIP(address) === 4 ? 32 : 128;
      const isMapped = most === 32 && text.includes(":");
      const prefix = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) - (isMapped ? 96 : 0) : NaN;
      if (address === undefined || more.length > 0 || !(prefix >= 0 && prefix <= most))
        throw invalid(
          `a proxy is an address or a network, such as 127.0.0.1, 10.0.0.0/8 or fd00::/8, found "${entry}"`,
        );
      this.#trusted.addSubnet(address, prefix, familyOf(address));
    }
  }

  /** Whether a canonical address is a proxy's. */
  has(address: string): boolean {
    return isIP(address) > 0 && this.#trusted.check(address, familyOf(address));
  }

  /**
   * The canonical address of the client of a request: that of the connection, or, where that is a proxy's, the last address of
   * `X-Forwarded-For` or `Forwarded` that is no proxy's. What stands before it anyone may have written. Where the two headers name
   * different clients, one of them was not written by the proxy: then the proxy itself counts as the client.
   */
  clientOf(connection: string | undefined, headers: IncomingHttpHeaders): string {
    const peer = canonicalAddress(connection ?? "") ?? UNKNOWN;
    if (!this.has(peer)) return peer;
    const found = new Set(
      [forwardedFor(headers["x-forwarded-for"]), forwarded(headers.forwarded)]
        .filter((hops) => hops.length > 0)
        .map((hops) => this.#firstStranger(peer, hops)),
    );
    const [client = peer] = found;
    return found.size > 1 ? peer : client;
  }

  /** @param hops from the client to the nearest proxy */
  #firstStranger(peer: string, hops: readonly (string | undefined)[]): string {
    let client = peer;
    for (const hop of hops.slice(-MOST_HOPS).reverse()) {
      // a proxy that does not say whose request it is
      if (hop === undefined) return client;
      client = hop;
      if (!this.has(client)) return client;
    }
    return client;
  }
}

/** The addresses of `X-Forwarded-For: CLIENT, PROXY`; undefined for one that is none. */
const forwardedFor = (header: string | string[] | undefined): (string | undefined)[] =>
  parts(header).map((part) => addressIn(part));

/** The addresses of `Forwarded: for=CLIENT;proto=http, for=PROXY` (RFC 7239). */
const forwarded = (header: string | string[] | undefined): (string | undefined)[] =>
  parts(header).map((part) => {
    const [, value] = /(?:^|;)\s*for\s*=\s*("[^"]*"|[^;]*)/i.exec(part) ?? [];
    return value === undefined ? undefined : addressIn(value.trim().replace(/^"(.*)"$/, "$1"));
  });

const parts = (header: string | string[] | undefined): string[] => {
  const text = Array.isArray(header) ? header.join(",") : (header ?? "");
  return text.trim() === "" ? [] : text.split(",").map((part) => part.trim());
};

/** `ADDRESS`, `IPV4:PORT`, `[IPV6]` or `[IPV6]:PORT`. */
function addressIn(text: string): string | undefined {
  const [, bracketed, v4] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(text) ?? [];
  return canonicalAddress(bracketed ?? v4 ?? text);
}
