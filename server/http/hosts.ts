/**
 * The names by which a server may be asked for. A page in a browser can make its own name mean this machine (DNS rebinding), and would
 * read the answers of a server that only this machine should reach: the header `host` tells.
 */
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { Refusal } from "../refusal.js";
import { isLoopback } from "../config/loopback.js";

export interface Hosts {
  /** The address or name at which the server listens. */
  readonly host: string;
  /** Further names, as of a proxy; `*`: any. */
  readonly allowed: readonly string[];
}

/** Checks are made where the server listens at a loopback address, or names are given. */
export function addHosts(app: FastifyInstance, { host, allowed }: Hosts): void {
  const names = new Set([host, ...allowed].map(canonicalName));
  if (names.has("*")) return;
  const isChecked = (): boolean => {
    const address = app.server.address() as AddressInfo | null;
    return allowed.length > 0 || isLoopback(address?.address ?? host);
  };
  app.addHook("onRequest", ({ headers, raw }, _, done) => {
    // only clients of HTTP/1.0 may send none, and no browser is one
    if (headers.host === undefined) {
      if (raw.httpVersion !== "1.0") throw new Refusal("malformed_request", "the header `host` is absent");
      return done();
    }
    const name = nameIn(headers.host);
    if (isChecked() && (name === undefined || !(isLoopback(name) || names.has(name))))
      throw new Refusal(
        "host_not_allowed",
        `this server is not to be asked for as "${headers.host}": use localhost, or start it with --allow-host ${name ?? "NAME"}`,
      );
    done();
  });
}

/** The name in a header, without the port; undefined if it is none. */
function nameIn(header: string): string | undefined {
  const [, ip6, name] = /^(?:\[([\da-f:.]+)\]|([^\s:[\]]+))(?::\d*)?$/i.exec(header) ?? [];
  const found = ip6 ?? name;
  return found === undefined ? undefined : canonicalName(found);
}

const canonicalName = (name: string): string => name.toLowerCase().replace(/\.$/, "");
