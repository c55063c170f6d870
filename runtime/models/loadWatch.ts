/** Watches the load of a model: reports its progress, and ends it. */
import { onAbort } from "../core/aborts.js";
import { abortError } from "../core/errors.js";
import type { ModelOptions, NativeModel } from "../backends/native/binding.js";
import type { nodeModule } from "../core/node.js";

export class LoadWatch {
  private fraction = -1;
  private isDone = false;
  private abort = (): void => undefined;
  /** What `onProgress` has thrown. */
  private thrown: { readonly error: unknown } | undefined;

  constructor(
    private readonly onProgress: (fraction: number) => void = () => undefined,
    private readonly signal?: AbortSignal,
  ) {}

  /** Whether the load must end, or has ended early. */
  get isEnded(): boolean {
    return this.thrown !== undefined || this.signal?.aborted === true;
  }

  /** Why. */
  reason(): unknown {
    return this.thrown ? this.thrown.error : abortError(this.signal!);
  }

  /** Reports a fraction, unless a later one was reported. */
  report(fraction: number): void {
    if (this.isDone || fraction <= this.fraction || this.isEnded) return;
    this.fraction = fraction;
    try {
      this.onProgress(fraction);
    } catch (error) {
      this.thrown = { error };
      this.abort();
    }
  }

  /** Throws the reason if the load must end. */
  check(): void {
    if (this.isEnded) throw this.reason();
  }

  /** A load of the native runtime. A model that is loaded although the load must end is freed. */
  async during(
    load: (options: Pick<ModelOptions, "onProgress" | "onStart">) => Promise<NativeModel>,
  ): Promise<NativeModel> {
    this.check();
    const ignore = onAbort(this.signal, () => this.abort());
    try {
      const native = await load({
        onProgress: (fraction) => this.report(fraction),
        onStart: (abort) => {
          this.abort = abort;
          if (this.isEnded) abort();
        },
      });
      this.report(1);
      if (this.isEnded) {
        native.dispose();
        this.check();
      }
      return native;
    } finally {
      this.isDone = true;
      ignore();
    }
  }
}

/** Read at once. */
const CHUNK = 2 ** 24;

/** The bytes of a file, read in parts. */
export async function readWatched(
  fs: NonNullable<ReturnType<typeof nodeModule<"node:fs">>>,
  path: string,
  watch: LoadWatch,
): Promise<Uint8Array> {
  watch.check();
  const file = await fs.promises.open(path);
  try {
    const { size } = await file.stat();
    const bytes = new Uint8Array(size);
    let length = 0;
    while (length < size) {
      const { bytesRead } = await file.read(bytes, length, Math.min(CHUNK, size - length));
      if (bytesRead === 0) break;
      length += bytesRead;
      watch.report(length / size);
      watch.check();
    }
    return bytes.subarray(0, length);
  } finally {
    await file.close();
  }
}
