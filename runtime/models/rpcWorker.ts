/** A worker: lends devices of this machine to others, by ggml's RPC backend. */
import { InputError } from "../core/errors.js";
import { chooseDevices, type DeviceChoice } from "../backends/devices/several.js";
import type { ModelBackend } from "./options.js";
import { loadBinding } from "../backends/native/loader.js";
import { nextTask } from "../core/nextTask.js";
import { nodeModule } from "../core/node.js";
import { rpcLibrary } from "../backends/remote/library.js";
import { silent } from "../backends/remote/handshake.js";
import { readServers, type Server } from "../backends/devices/servers.js";

export interface WorkOptions {
  /** `ADDRESS:PORT` of this machine. */
  readonly listen: string;
  readonly backend: Exclude<ModelBackend, "wasm">;
  readonly device?: DeviceChoice | undefined;
  /** The folder where large weights are kept; it is made if it is not there. */
  readonly cache?: string | undefined;
  /** CPU threads; default: half the number of processors. */
  readonly threads?: number | undefined;
}

interface Work {
  /** ggml's names of the devices. */
  readonly devices: readonly string[];
  /** Rejects when the worker cannot go on; it never resolves. */
  readonly ended: Promise<never>;
}

/** Whether strangers can reach it. ggml's protocol has no authentication. */
export const isReachable = (listen: string): boolean => !/^(127(\.\d+){3}|localhost):/.test(listen);

/** Begins to lend. Throws `InputError`: INVALID_ARGUMENT, ADDRESS_UNAVAILABLE, UNWRITABLE_FILE, NO_DEVICE. */
export async function startWork({ listen, backend, device, cache, threads }: WorkOptions): Promise<Work> {
  const [{ host, port, endpoint }] = readServers([listen]) as [Server];
  const library = rpcLibrary();
  const address = await resolved(host);
  await tryListen(address, port, endpoint);
  if (cache !== undefined) makeFolder(cache);
  const devices = (await chooseDevices({ backend, device })).map((one) => one.device);
  const processors = nodeModule("node:os")!.availableParallelism();
  const lent = loadBinding().runWorker({
    library,
    endpoint: `${address}:${port}`,
    devices,
    threads: threads ?? Math.max(1, processors >> 1),
    ...(cache !== undefined && { cache }),
  });
  const ended = lent.then((): never => {
    throw unavailable(endpoint, "ggml's server has ended");
  });
  await Promise.race([ended, listening({ host: address, port, endpoint, kind: "unknown" })]);
  return { devices, ended };
}

/** Waits until connections are taken. */
async function listening(server: Server): Promise<void> {
  while ((await silent([server])).length > 0) await nextTask();
}

/** ggml listens at an address, not a name. */
const resolved = (host: string): Promise<string> =>
  new Promise((resolve, reject) => {
    nodeModule("node:dns")!.lookup(host, { family: 4 }, (error, address) => {
      if (error) reject(unavailable(host, "the host is not known"));
      else resolve(address);
    });
  });

/** ggml would only print that it cannot listen. */
const tryListen = (host: string, port: number, endpoint: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const server = nodeModule("node:net")!.createServer();
    server.once("error", ({ code, message }: NodeJS.ErrnoException) =>
      reject(unavailable(endpoint, REASONS[code ?? ""] ?? message)),
    );
    server.listen({ host, port }, () => server.close(() => resolve()));
  });

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program has it",
  EACCES: "it may not be used: choose a port above 1023",
  EADDRNOTAVAIL: "this machine does not have the address",
};

const unavailable = (endpoint: string, reason: string): InputError =>
  new InputError(`cannot listen at ${endpoint}: ${reason}`, { code: "ADDRESS_UNAVAILABLE" });

function makeFolder(folder: string): void {
  const fs = nodeModule("node:fs")!;
  try {
    fs.mkdirSync(folder, { recursive: true });
    fs.accessSync(folder, fs.constants.W_OK);
  } catch (error) {
    throw new InputError(`the folder "${folder}" for weights cannot be written: ${(error as Error).message}`, {
      code: "UNWRITABLE_FILE",
      cause: error,
    });
  }
}
