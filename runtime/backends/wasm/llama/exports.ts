/** What native/wasm/llama exports. Results of 0 are failures where `Instance.checked` is used; "gives" is told there. */
import type { AutomatonExports, Pointer } from "../exports.js";

export interface LlamaExports extends AutomatonExports {
  ggsl_start(): void;
  ggsl_op_names(): number;
  ggsl_given(): Pointer;
  ggsl_given_bytes(): number;

  ggsl_model_open(bytes: Pointer, count: number): Pointer;
  ggsl_model_close(model: Pointer): void;
  ggsl_model_numbers(model: Pointer): number;
  ggsl_model_texts(model: Pointer): number;
  ggsl_tokenize(
    model: Pointer,
    text: Pointer,
    length: number,
    addSpecial: boolean,
    parseSpecial: boolean,
    mostTokens: number,
  ): number;
  ggsl_piece(model: Pointer, token: number, special: boolean): number;
  ggsl_pieces(model: Pointer): number;
  ggsl_texts(model: Pointer): number;
  ggsl_classes(model: Pointer): number;
  ggsl_is_end(model: Pointer, token: number): number;

  ggsl_graph_open(words: Pointer, count: number, columns: Pointer, columnCount: number, columnSize: number): Pointer;
  ggsl_graph_close(graph: Pointer): void;
  ggsl_graph_size(graph: Pointer): number;

  ggsl_stages_begin(): void;
  ggsl_stage(name: Pointer, length: number): number;
  ggsl_value_number(number: number): number;
  ggsl_value_text(text: Pointer, length: number): number;
  ggsl_value_other(what: Pointer, length: number): number;
  ggsl_value_list(count: number): number;
  ggsl_parameter(name: Pointer, length: number): number;
  ggsl_tail_open(model: Pointer): Pointer;
  ggsl_tail_clone(chain: Pointer): Pointer;
  ggsl_tail_close(chain: Pointer): void;
  ggsl_tail_apply(chain: Pointer, tokens: Pointer, count: number, logits: Pointer, logitCount: number): number;
  ggsl_tail_accept(chain: Pointer, token: number): number;
  ggsl_tail_accept_prompt(chain: Pointer, tokens: Pointer, count: number): number;
  ggsl_tail_reset(chain: Pointer): number;

  ggsl_context_open(model: Pointer, options: Pointer, chains: Pointer, guides: Pointer, count: number): Pointer;
  ggsl_context_close(context: Pointer): void;
  ggsl_context_size(context: Pointer): number;
  ggsl_set_chain(context: Pointer, sequence: number, graph: Pointer, isGuide: boolean): number;
  ggsl_set_guide(context: Pointer, sequence: number, input: number, guide: number): number;
  ggsl_set_rows(context: Pointer, rows: number, outputs: number): number;
  ggsl_set_uniforms(context: Pointer, sequence: number, values: Pointer, count: number, row: number): number;
  ggsl_set_input(
    context: Pointer,
    sequence: number,
    input: number,
    isF32: boolean,
    values: Pointer,
    count: number,
    row: number,
  ): number;
  ggsl_remove(context: Pointer, sequence: number, from: number): number;
  ggsl_copy(context: Pointer, from: number, to: number): number;
  /** 2 if it can, 1 if it cannot. */
  ggsl_can_keep(context: Pointer, sequence: number, count: number): number;
  ggsl_abort(context: Pointer): void;
  ggsl_decode(context: Pointer, batch: Pointer, count: number): number;
  ggsl_output_count(context: Pointer): number;
  ggsl_output_sequence(context: Pointer, output: number): number;
  ggsl_output(context: Pointer, output: number, which: number): number;
  ggsl_context_numbers(context: Pointer): number;
  ggsl_context_devices(context: Pointer): number;
}
