/** Workers as users name them: `HOST:PORT`, or `HOST:PORT=KIND`. */
import { show } from "@ggsl/compiler/core/show.js";
import { InputError, invalid } from "../../core/errors.js";

/** What a worker's devices are. The protocol does not say it. */
export const REMOTE_KINDS = ["cpu", "vulkan", "cuda", "other"] as const;
/** `unknown`: only ops that all of them run rightly are sent. */
export type RemoteKind = (typeof REMOTE_KINDS)[number] | "unknown";

export interface Server {
  readonly host: string;
  readonly port: number;
  /** `HOST:PORT`. */
  readonly endpoint: string;
  readonly kind: RemoteKind;
}

/** llama.cpp's limit of devices. */
const MOST_SERVERS = 16;

/** Throws `InputError` for an address that is none, and for two that are the same. */
export function readServers(given: readonly string[]): Server[] {
  const servers = given.map(readServer);
  if (servers.length === 0 || servers.length > MOST_SERVERS)
    throw invalid(`\`servers\` must have 1 to ${MOST_SERVERS} addresses, found ${servers.length}`);
  servers.forEach(({ endpoint }, i) => {
    if (servers.findIndex((other) => other.endpoint === endpoint) !== i) throw twice(endpoint);
  });
  return servers;
}

export const twice = (endpoint: string): InputError =>
  invalid(`\`servers\` names the worker ${endpoint} twice: give each once`);

function readServer(text: unknown): Server {
  const [, host, digits, kind = "unknown"] =
    typeof text === "string" ? (/^([A-Za-z0-9_.-]+):(\d{1,9})(?:=(.*))?$/s.exec(text) ?? []) : [];
  if (host === undefined || digits === undefined)
    throw invalid(
      `a worker must be HOST:PORT or HOST:PORT=KIND, such as 10.0.0.2:50052=cuda, found ${show(text)}; the host is a name or an IPv4 address, since ggml's RPC knows no others`,
    );
  const port = Number(digits);
  if (port < 1 || port > 65_535) throw invalid(`the port of ${show(text)} must be from 1 to 65535, found ${digits}`);
  if (kind !== "unknown" && !(REMOTE_KINDS as readonly string[]).includes(kind))
    throw invalid(`the kind of ${show(text)} must be one of ${REMOTE_KINDS.join(", ")}, found ${show(kind)}`);
  return { host: host.toLowerCase(), port, endpoint: `${host.toLowerCase()}:${port}`, kind: kind as RemoteKind };
}
