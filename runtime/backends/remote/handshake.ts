/**
 * Greets workers before ggml does: ggml ends its process if one does not answer, or not as the protocol says. The messages are those
 * of ggml's RPC protocol.
 */
import { InputError } from "../../core/errors.js";
import { nodeModule, type Socket } from "../../core/node.js";
import { twice, type Server } from "../devices/servers.js";

/** Of the pinned release's ggml-rpc.h; a worker of an older minor version is understood. */
export const PROTOCOL = { major: 7, minor: 0 } as const;

const HELLO = 14;
const DEVICE_COUNT = 15;
/** Bytes of what a side can do besides TCP; zeros: nothing. */
const CAPABILITIES = 24;

interface Greeted {
  readonly server: Server;
  readonly devices: number;
  /** The address that the name stands for. */
  readonly address: string;
}

/** Within which a worker must answer. */
const MILLISECONDS = 4000;

/**
 * Greets all of them. Throws `InputError`: SERVER_UNAVAILABLE for one that does not answer, not as a worker, or of another version;
 * INVALID_ARGUMENT if two are the same.
 */
export async function greetAll(servers: readonly Server[], milliseconds = MILLISECONDS): Promise<Greeted[]> {
  const greeted = await Promise.all(servers.map((server) => greet(server, milliseconds)));
  const seen = new Set<string>();
  for (const { server, address } of greeted) {
    const place = `${address}:${server.port}`;
    if (seen.has(place)) throw twice(server.endpoint);
    seen.add(place);
  }
  return greeted;
}

function greet(server: Server, milliseconds: number): Promise<Greeted> {
  const { host, port, endpoint } = server;
  return new Promise((resolve, reject) => {
    const socket = nodeModule("node:net")!.connect({ host, port, family: 4 });
    const timer = setTimeout(() => {
      end(
        socket.connecting
          ? "its machine does not answer"
          : `it does not answer within ${milliseconds / 1000} s: a worker serves one program at a time, which may be another`,
      );
    }, milliseconds);
    const end = (reason: string | Greeted): void => {
      clearTimeout(timer);
      socket.destroy();
      if (typeof reason === "object") resolve(reason);
      else reject(unavailable(endpoint, reason));
    };
    socket.once("error", ({ code, message }: NodeJS.ErrnoException) => end(REASONS[code ?? ""] ?? message));
    socket.once("close", () => end("it closed the connection: it is no worker, or of another version"));
    socket.once("connect", () => {
      talk(socket).then(
        (devices) => end({ server, devices, address: socket.remoteAddress ?? host }),
        (error: unknown) => end((error as Error).message),
      );
    });
  });
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "the host is not known",
  EAI_AGAIN: "the host is not known",
  EHOSTUNREACH: "its machine cannot be reached",
  ENETUNREACH: "its machine cannot be reached",
};

const unavailable = (endpoint: string, reason: string): InputError =>
  new InputError(
    `the worker at ${endpoint} cannot be used: ${reason}. Start it there: ggsl worker --listen ADDRESS:PORT`,
    { code: "SERVER_UNAVAILABLE" },
  );

/** The number of devices. Throws for answers that are not those of a worker. */
async function talk(socket: Socket): Promise<number> {
  const read = reader(socket);
  socket.write(request(HELLO, Buffer.alloc(CAPABILITIES)));
  const hello = await read(4 + CAPABILITIES);
  const [major, minor, patch] = hello;
  if (major !== PROTOCOL.major || minor! > PROTOCOL.minor)
    throw new Error(
      `it speaks version ${major}.${minor}.${patch} of ggml's RPC protocol, expected ${PROTOCOL.major}.${PROTOCOL.minor}: install the same version of ggsl on both machines`,
    );
  socket.write(request(DEVICE_COUNT, Buffer.alloc(0)));
  const devices = (await read(4)).readUInt32LE();
  if (devices === 0) throw new Error("it has no device");
  return devices;
}

/** A command: its number, the length and the bytes. */
function request(command: number, bytes: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUInt8(command);
  head.writeBigUInt64LE(BigInt(bytes.length), 1);
  return Buffer.concat([head, bytes]);
}

/** Reads answers of a known length: it comes first, in 8 bytes. */
function reader(socket: Socket): (length: number) => Promise<Buffer> {
  let received = Buffer.alloc(0);
  let wake = (): void => undefined;
  socket.on("data", (data: Buffer) => {
    received = Buffer.concat([received, data]);
    wake();
  });
  const take = async (length: number): Promise<Buffer> => {
    while (received.length < length) await new Promise<void>((resolve) => (wake = resolve));
    const taken = received.subarray(0, length);
    received = received.subarray(length);
    return taken;
  };
  return async (length) => {
    const given = (await take(8)).readBigUInt64LE();
    if (given !== BigInt(length)) throw new Error("its answer is not that of a worker: another program listens there");
    return take(length);
  };
}

/** Those of the workers that no longer take connections. */
export async function silent(servers: readonly Server[], milliseconds = 1000): Promise<Server[]> {
  const answers = await Promise.all(servers.map((server) => isOpen(server, milliseconds)));
  return servers.filter((_, i) => !answers[i]);
}

const isOpen = ({ host, port }: Server, timeout: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = nodeModule("node:net")!.connect({ host, port, family: 4, timeout });
    const end = (value: boolean) => (): void => {
      socket.destroy();
      resolve(value);
    };
    socket.once("connect", end(true)).once("error", end(false)).once("timeout", end(false));
  });
