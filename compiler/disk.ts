/**
 * Files for the tools: the command line, the language server and the plugins for bundlers, which read regular files of a limited size.
 * The caller passes Node.js's modules, because the compiler also runs in browsers.
 */

/** The used part of node:fs and node:path. */
export interface Disk {
  readonly fs: {
    readonly constants: { readonly O_RDONLY: number; readonly O_NONBLOCK?: number };
    openSync(path: string, flags: number): number;
    fstatSync(file: number): { readonly size: number; isFile(): boolean; isDirectory(): boolean };
    readSync(file: number, into: Uint8Array, offset: number, length: number, position: number | null): number;
    closeSync(file: number): void;
    realpathSync(path: string): string;
  };
  readonly path: {
    dirname(path: string): string;
    isAbsolute(path: string): boolean;
    join(...parts: string[]): string;
    relative(from: string, to: string): string;
    resolve(...parts: string[]): string;
    readonly sep: string;
  };
}

/** The limit of a program's file; a program itself is limited in characters. */
export const MAX_SOURCE_BYTES = 1 << 22;

/** Why a file is not read: `there is no such file`, `it is not a regular file`, ... */
export class UnreadableFile extends Error {
  override readonly name = "UnreadableFile";
  readonly code = "UNREADABLE_FILE";
  constructor(
    readonly reason: string,
    readonly isMissing = false,
  ) {
    super(reason);
  }
}

/**
 * Opens a regular file of at most `limit` bytes. The checks are made on the opened file, so it cannot be replaced in between, and
 * opening never waits, as it would for the writer of a FIFO.
 * @throws UnreadableFile
 */
export function openRegular(
  { fs }: Disk,
  path: string,
  limit = Infinity,
): { readonly file: number; readonly size: number } {
  const file = attempt(() => fs.openSync(path, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0)));
  const stat = fs.fstatSync(file);
  const reason = stat.isFile()
    ? stat.size > limit && `it has ${stat.size} bytes; at most ${limit} are allowed`
    : stat.isDirectory()
      ? "it is a folder"
      : "it is not a regular file; use - for a pipe";
  if (!reason) return { file, size: stat.size };
  fs.closeSync(file);
  throw new UnreadableFile(reason);
}

/** Reads a regular file. Throws `UnreadableFile`. */
export function readRegular(disk: Disk, path: string, limit: number): Uint8Array {
  const { file, size } = openRegular(disk, path, limit);
  try {
    const bytes = new Uint8Array(size);
    let done = 0;
    while (done < size) {
      const count = attempt(() => disk.fs.readSync(file, bytes, done, size - done, null));
      if (count === 0) break;
      done += count;
    }
    return bytes.subarray(0, done);
  } finally {
    disk.fs.closeSync(file);
  }
}

/** Reads a stream, such as standard input, to its end. Throws `UnreadableFile` once it is longer than `limit`. */
export function readStream({ fs }: Disk, file: number, limit: number): Uint8Array {
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const part = new Uint8Array(1 << 16);
    const count = readWaiting(fs, file, part);
    if (count === 0) break;
    size += count;
    if (size > limit) throw new UnreadableFile(`it has more than the ${limit} bytes that are allowed`);
    parts.push(part.subarray(0, count));
  }
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Reads; waits for a writer that is slower, which a terminal or a pipe may report as an error. */
function readWaiting(fs: Disk["fs"], file: number, into: Uint8Array): number {
  for (;;) {
    try {
      return fs.readSync(file, into, 0, into.length, null);
    } catch (error) {
      const { code } = error as { readonly code?: string };
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw unreadable(error);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

/**
 * Text without the byte order mark that some editors write.
 * @throws UnreadableFile for bytes that are not UTF-8, with the line: replacing them would change texts of the program in silence
 */
export function textOf(bytes: Uint8Array): string {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    return decoder.decode(bytes);
  } catch {
    throw new UnreadableFile(`it is not UTF-8 text, ${encodingOf(bytes) ?? `see line ${badLine(bytes)}`}`);
  }
}

function encodingOf([first, second]: Uint8Array): string | undefined {
  const isWide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isWide ? "but UTF-16: save it as UTF-8" : undefined;
}

/** The first line with other bytes. No character of UTF-8 contains the byte of a line's end. */
function badLine(bytes: Uint8Array): number {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for (let line = 1, begin = 0; ; line++) {
    const next = bytes.indexOf(0x0a, begin);
    const end = next < 0 ? bytes.length : next;
    try {
      decoder.decode(bytes.subarray(begin, end));
    } catch {
      return line;
    }
    if (next < 0) return line;
    begin = next + 1;
  }
}

/** The real path of a file or folder. Throws `UnreadableFile`. */
export const realPath = ({ fs }: Disk, path: string): string => attempt(() => fs.realpathSync(path));

function attempt<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw unreadable(error);
  }
}

function unreadable(error: unknown): UnreadableFile {
  const { code, message } = error as { readonly code?: string; readonly message: string };
  if (code === "ENOENT" || code === "ENOTDIR") return new UnreadableFile("there is no such file", true);
  if (code === "EISDIR") return new UnreadableFile("it is a folder");
  // opening a socket, or a device without a driver
  if (code === "ENXIO" || code === "ENODEV") return new UnreadableFile("it is not a regular file");
  return new UnreadableFile(code === "EACCES" ? "permission denied" : message);
}

/** Whether a file is in a folder or below it; both paths are absolute. */
export function isBelow({ path }: Disk, root: string, file: string): boolean {
  const way = path.relative(root, file);
  return way !== "" && way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way);
}
