/** What the C library asks of its host (WASI preview 1): a clock, somewhere to write, random bytes. There are no files. */
import type { WasmMemory } from "./webAssembly.js";

/** A result of WASI's functions. */
const SUCCESS = 0;
const BAD_FILE = 8;

/** What Linux's system calls give where they are not there. */
const NO_SUCH_CALL = -52;

export interface System {
  readonly imports: object;
  /** What was written since the last time, most of it the messages of failed assertions. */
  takeText(): string;
}

/** `memory` is there once the module is. */
export function createSystem(memory: () => WasmMemory): System {
  let text = "";
  const decoder = new TextDecoder();
  const view = (): DataView => new DataView(memory().buffer);
  const setWords = (at: number, ...words: number[]): number => {
    words.forEach((word, i) => view().setUint32(at + 4 * i, word, true));
    return SUCCESS;
  };
  const write = (_file: number, pieces: number, count: number, written: number): number => {
    let bytes = 0;
    for (let i = 0; i < count; i++) {
      const [start, length] = [view().getUint32(pieces + 8 * i, true), view().getUint32(pieces + 8 * i + 4, true)];
      text += decoder.decode(new Uint8Array(memory().buffer, start, length));
      bytes += length;
    }
    return setWords(written, bytes);
  };
  return {
    imports: {
      env: {
        emscripten_notify_memory_growth: () => undefined,
        getentropy(at: number, count: number) {
          crypto.getRandomValues(new Uint8Array(memory().buffer, at, count));
          return SUCCESS;
        },
        // no folders and no libraries to load: llama.cpp looks for backends there
        __syscall_getcwd: () => NO_SUCH_CALL,
        __syscall_getdents64: () => NO_SUCH_CALL,
        __syscall_stat64: () => NO_SUCH_CALL,
        __syscall_fstat64: () => NO_SUCH_CALL,
        __syscall_lstat64: () => NO_SUCH_CALL,
        __syscall_fstatat64: () => NO_SUCH_CALL,
        _dlopen_js: () => 0,
        _dlsym_js: () => 0,
      },
      wasi_snapshot_preview1: {
        fd_write: write,
        fd_read: () => BAD_FILE,
        fd_close: () => BAD_FILE,
        fd_seek: () => BAD_FILE,
        environ_sizes_get: (count: number, size: number) => setWords(count, 0) || setWords(size, 0),
        environ_get: () => SUCCESS,
        clock_time_get(_clock: number, _precision: bigint, time: number) {
          view().setBigUint64(time, BigInt(Math.round(performance.now() * 1e6)), true);
          return SUCCESS;
        },
        proc_exit(status: number) {
          throw new Error(`it ended with status ${status}`);
        },
      },
    },
    takeText() {
      const taken = text.trim();
      text = "";
      return taken;
    },
  };
}
