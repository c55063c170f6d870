/** A graph on this side, which is made in the child when it is first used there. */
import type { NativeGraph } from "../native/binding.js";
import { loadBinding } from "../native/loader.js";
import type { RemoteProcess } from "./child.js";
import type { Call } from "./protocol.js";

export interface RemoteGraph extends NativeGraph {
  readonly handle: number;
  /** The calls that make it, the first time. */
  made(): readonly Call[];
}

/** The class of a process's graphs. A graph that nothing uses is let go in the child too. */
export function graphsOf(
  process: RemoteProcess,
): new (words: Int32Array, columns?: readonly Float32Array[]) => NativeGraph {
  const unused = new FinalizationRegistry<number>((handle) => process.forget(handle));
  return class implements RemoteGraph {
    readonly size: NativeGraph["size"];
    readonly handle = process.handle();
    #isMade = false;

    constructor(
      private readonly words: Int32Array,
      private readonly columns?: readonly Float32Array[],
    ) {
      // verified here, so that an error comes at once
      this.size = new (loadBinding().Graph)(words, columns).size;
      unused.register(this, this.handle);
    }

    made(): readonly Call[] {
      if (this.#isMade) return [];
      this.#isMade = true;
      return [
        { on: 0, call: "new Graph", args: this.columns ? [this.words, this.columns] : [this.words], as: this.handle },
      ];
    }
  };
}
