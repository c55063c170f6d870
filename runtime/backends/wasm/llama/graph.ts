/** Graphs and grammars in the module's memory. */
import type { Binding, NativeGrammar, NativeGraph } from "../../native/binding.js";
import { checkedColumns, joinColumns } from "../columns.js";
import { nativeError, type Pointer } from "../instance.js";
import { checkInteger, Handle, type Handles, type Llama } from "./handle.js";

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

export function grammarClass(llama: Llama, models: Handles): Binding["Grammar"] {
  class Grammar implements NativeGrammar {
    private readonly handle: Handle;

    constructor(at: Pointer) {
      this.handle = new Handle(this, "grammar", llama, at, (e, grammar) => e.ggsl_grammar_close(grammar));
    }
    allowed(): Float32Array {
      return this.handle.ask((e, at) => e.ggsl_grammar_allowed(at)).f32();
    }
    accept(token: number): void {
      checkInteger("token", token);
      this.handle.checked((e, at) => e.ggsl_grammar_accept(at, token));
    }
    reset(): void {
      this.handle.checked((e, at) => e.ggsl_grammar_reset(at));
    }
    clone(): NativeGrammar {
      return new Grammar(this.handle.checked((e, at) => e.ggsl_grammar_clone(at)));
    }
    dispose(): void {
      this.handle.dispose();
    }
  }
  return class extends Grammar {
    constructor(model: object, text: string, root = "root") {
      const handle = models.get(model);
      if (!handle) throw nativeError("INVALID_ARGUMENT", "model: expected a Model");
      super(
        llama.withText(text, (at, length) =>
          llama.withText(root, (rootAt, rootLength) =>
            handle.checked((e, from) => e.ggsl_grammar_open(from, at, length, rootAt, rootLength)),
          ),
        ),
      );
    }
  };
}
