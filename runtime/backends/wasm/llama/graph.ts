/** Graphs in the module's memory. */
import type { Binding, NativeGraph } from "../../native/binding.js";
import { checkedColumns, joinColumns } from "../columns.js";
import { nativeError } from "../instance.js";
import { Handle, type Handles, type Llama } from "./handle.js";

export const graphClass = (llama: Llama, graphs: Handles): Binding["Graph"] =>
  class implements NativeGraph {
    readonly size: NativeGraph["size"];

    constructor(words: Int32Array, columns: readonly Float32Array[] = []) {
      if (!(words instanceof Int32Array)) throw nativeError("INVALID_ARGUMENT", "words: expected an Int32Array");
      const size = checkedColumns(columns)[0]?.length ?? 0;
      const at = llama.with(words, (from) =>
        llama.with(joinColumns(columns), (columnsAt) =>
          llama.checked((e) => e.ggsl_graph_open(from, words.length, columnsAt, columns.length, size)),
        ),
      );
      const handle = new Handle(this, "graph", llama, at, (e, graph) => e.ggsl_graph_close(graph));
      graphs.set(this, handle);
      const [uniforms, inputs, states, nodes] = handle.ask((e, graph) => e.ggsl_graph_size(graph)).i32();
      this.size = { uniforms: uniforms!, inputs: inputs!, states: states!, nodes: nodes! };
    }
  };
