/** The imports of the C library (WASI preview 1): a clock, output, random bytes. There are no files. */
import type { WasmMemory } from "./webAssembly.js";

/** WASI's code for success. */
const SUCCESS = 0;
const BAD_FILE = 8;

/** -ENOSYS in WASI's numbering: the system call is missing. */
const NO_SUCH_CALL = -52;

export interface System {
  readonly imports: object;
  /** The output since the last call, mostly messages of failed assertions. */
  takeText(): string;
}

/** `memory` is available once the module is instantiated. */
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
        // there are no folders: llama.cpp searches them for backend libraries
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
