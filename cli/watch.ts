/** `--watch`: runs a command again when a file changes that it has read. */
import { existsSync, realpathSync, statSync, watch as watchFolder, type FSWatcher } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Option } from "commander";
import { listenToReads, refuseInput } from "./files.js";
import { foldersOf, programsOf } from "./programs.js";
import { report } from "./report.js";
import { canOverwrite } from "./terminal.js";
import { UsageError } from "./usage.js";
import { say } from "./terminal.js";

export const watchOption = (): Option =>
  new Option("--watch", "run again when a file changes, until Ctrl-C; clears the screen of a terminal");

/** A change is over when nothing has happened for this long, in milliseconds. */
const QUIET = 50;
/** A file that is written without a pause does not delay the run longer than this. */
const MOST_WAIT = 1000;
/** How long a file may be absent while an editor replaces it. */
const ABSENT = 200;
/** Where the system cannot watch a folder, its files are looked at this often. */
const POLL = 500;

/**
 * Runs, and runs again when a file that the run has read changes, or when `words` name other programs than before. Errors are
 * printed, with `isJson` also as objects, except wrong usage, which is thrown. Returns after SIGINT or SIGTERM, which also abort `signal`.
 */
export async function watch(
  run: (signal: AbortSignal) => unknown,
  { words = [], isJson = false }: { readonly words?: readonly string[]; readonly isJson?: boolean } = {},
): Promise<void> {
  const reason = "--watch reads files again, and standard input can be read once";
  if (words.includes("-")) throw new UsageError(reason);
  refuseInput(reason);
  const end = new AbortController();
  const stop = (): void => end.abort();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, stop);
  const stamps = new Map<string, string>();
  listenToReads((path) => {
    if (!stamps.has(path)) stamps.set(path, stampOf(path));
  });
  const folders = new Folders(end.signal);
  try {
    while (!end.signal.aborted) {
      stamps.clear();
      const listed = await listOf(words);
      if (canOverwrite(process.stdout)) process.stdout.write("\x1b[2J\x1b[H");
      await attempt(() => run(end.signal), isJson);
      if (end.signal.aborted) break;
      say(`watching ${stamps.size} ${stamps.size === 1 ? "file" : "files"}; Ctrl-C ends\n`);
      const isChanged = async (): Promise<boolean> =>
        [...stamps].some(([path, stamp]) => stampOf(path) !== stamp) || (await listOf(words)) !== listed;
      const isAbsent = (): boolean => [...stamps].some(([path, stamp]) => stamp !== "" && stampOf(path) === "");
      do {
        // what changed before the folders were watched is seen by the first look
        folders.watch([...[...stamps.keys()].flatMap(placesOf), ...foldersOf(words)]);
        if (await isChanged()) {
          await folders.quiet();
          if (isAbsent()) await pause(ABSENT, end.signal);
          break;
        }
        await folders.event();
      } while (!end.signal.aborted);
    }
  } finally {
    folders.close();
    listenToReads(() => undefined);
    for (const name of ["SIGINT", "SIGTERM"] as const) process.removeListener(name, stop);
    // the last run does not decide what a watch ends with
    process.exitCode = 0;
  }
}

async function attempt(run: () => unknown, isJson: boolean): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    await report(error, isJson);
  }
}

/** The programs that the words name, as one text. */
async function listOf(words: readonly string[]): Promise<string> {
  try {
    return (await programsOf(words)).join("\n");
  } catch {
    return "";
  }
}

/** Changes with the content of a file; empty if there is none. */
function stampOf(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat ? `${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}` : "";
}

/** The folders where a change of a file shows: its own, and that of the file that it links to. */
function placesOf(path: string): string[] {
  const own = resolve(dirname(path));
  return existsSync(path) ? [own, dirname(realpathSync(path))] : [own];
}

/** Waits; an abort ends the wait. */
const pause = (milliseconds: number, signal: AbortSignal): Promise<unknown> =>
  sleep(milliseconds, undefined, { signal }).catch(() => undefined);

/** Watches folders for changes in them. */
class Folders {
  private readonly watchers = new Map<string, FSWatcher>();
  private isPolling = false;
  private hasEvent = false;
  private wake = (): void => undefined;

  constructor(private readonly signal: AbortSignal) {
    signal.addEventListener("abort", this.onEvent);
  }

  /** Watches these folders and no others; in place of one that does not exist, the nearest folder above it. */
  watch(folders: readonly string[]): void {
    const wanted = new Set(folders.map(nearest));
    for (const [folder, watcher] of this.watchers)
      if (!wanted.has(folder)) {
        watcher.close();
        this.watchers.delete(folder);
      }
    this.isPolling = false;
    for (const folder of wanted) if (!this.watchers.has(folder)) this.add(folder);
  }

  private add(folder: string): void {
    try {
      const watcher = watchFolder(folder, (type, name) => {
        // the folder itself may have been replaced
        if (type === "rename" && name === basename(folder)) this.drop(folder, watcher);
        this.onEvent();
      });
      watcher.on("error", () => {
        this.drop(folder, watcher);
        this.onEvent();
      });
      this.watchers.set(folder, watcher);
    } catch {
      // a limit of the system, or a folder that has just been removed
      this.isPolling = true;
    }
  }

  private drop(folder: string, watcher: FSWatcher): void {
    watcher.close();
    if (this.watchers.get(folder) === watcher) this.watchers.delete(folder);
  }

  private readonly onEvent = (): void => {
    this.hasEvent = true;
    this.wake();
  };

  /** Resolves after the next event, or after one since the last call. */
  async event(): Promise<void> {
    if (!this.hasEvent) {
      const event = new Promise<void>((done) => (this.wake = done));
      await (this.isPolling ? Promise.race([event, pause(POLL, this.signal)]) : event);
    }
    this.hasEvent = false;
  }

  /** Resolves when nothing has happened for a moment. */
  async quiet(): Promise<void> {
    const start = performance.now();
    do {
      this.hasEvent = false;
      await pause(QUIET, this.signal);
    } while (this.hasEvent && !this.signal.aborted && performance.now() - start < MOST_WAIT);
  }

  close(): void {
    this.signal.removeEventListener("abort", this.onEvent);
    for (const watcher of this.watchers.values()) watcher.close();
    this.watchers.clear();
  }
}

function nearest(folder: string): string {
  let found = folder;
  while (!existsSync(found) && dirname(found) !== found) found = dirname(found);
  return found;
}
