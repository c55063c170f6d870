/** Objects in a module's memory, which are freed with their wrappers or before. */
import type { CommonExports } from "./exports.js";
import { nativeError, type Instance, type Pointer } from "./instance.js";

interface Held {
  readonly isAlive: () => boolean;
  readonly free: () => void;
}

const free = (held: Held): void => {
  if (held.isAlive()) held.free();
};

/** Frees objects that were garbage-collected without `dispose`. */
const forgotten = new FinalizationRegistry<Held>(free);

export class Owned<E extends CommonExports, I extends Instance<E> = Instance<E>> {
  private held: (Held & { readonly instance: I; readonly at: Pointer }) | undefined;

  /** @param what its name in errors */
  constructor(
    owner: object,
    private readonly what: string,
    instance: I,
    at: Pointer,
    close: (exports: E, at: Pointer) => void,
  ) {
    this.held = {
      instance,
      at,
      isAlive: () => instance.isAlive,
      free: () => instance.call((e) => close(e, at)),
    };
    forgotten.register(owner, this.held, this);
  }

  get isDisposed(): boolean {
    return this.held === undefined;
  }

  get instance(): I {
    return this.open.instance;
  }
  get at(): Pointer {
    return this.open.at;
  }

  call<T>(work: (exports: E, at: Pointer) => T): T {
    const { instance, at } = this.open;
    return instance.call((e) => work(e, at));
  }
  /** For functions that return 0 on failure; throws the failure. */
  checked(work: (exports: E, at: Pointer) => number): number {
    const { instance, at } = this.open;
    return instance.checked((e) => work(e, at));
  }

  /** Frees the memory; harmless when called twice. */
  dispose(): void {
    const { held } = this;
    this.held = undefined;
    forgotten.unregister(this);
    if (held) free(held);
  }

  private get open() {
    if (!this.held) throw nativeError("DISPOSED", `this ${this.what} is disposed`);
    return this.held;
  }
}
