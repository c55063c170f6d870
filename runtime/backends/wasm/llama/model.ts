/** A model in the module's memory. */
import type { ContextOptions, ModelInfo, NativeContext, NativeModel, Pieces } from "../../native/binding.js";
import { LlamaContext } from "./context.js";
import { checkInteger, Handle, type Handles, type Llama } from "./handle.js";

export class LlamaModel implements NativeModel {
  readonly info: ModelInfo;
  private readonly handle: Handle;

  /** @param bytes a GGUF file */
  constructor(
    llama: Llama,
    bytes: Uint8Array,
    models: Handles,
    private readonly graphs: Handles,
  ) {
    const opened = llama.with(bytes, (from) => llama.checked((e) => e.ggsl_model_open(from, bytes.length)));
    this.handle = new Handle(this, "model", llama, opened, (e, at) => e.ggsl_model_close(at));
    models.set(this, this.handle);
    this.info = infoOf(this.handle);
  }

  tokenize(text: string, addSpecial: boolean, parseSpecial: boolean, mostTokens = 0): Int32Array {
    const { llama } = this.handle;
    return llama.withText(text, (at, length) =>
      this.handle.ask((e, model) => e.ggsl_tokenize(model, at, length, addSpecial, parseSpecial, mostTokens)).i32(),
    );
  }
  // oxlint-disable-next-line typescript/require-await -- a rejection, not a throw: there is one thread
  async tokenizeLater(...given: Parameters<NativeModel["tokenizeLater"]>): Promise<Int32Array> {
    return this.tokenize(...given);
  }
  piece(token: number, special: boolean): Uint8Array {
    checkInteger("token", token);
    return this.handle.ask((e, model) => e.ggsl_piece(model, token, special)).bytes();
  }
  pieces(): Pieces {
    return this.piecesIn(this.handle.ask((e, model) => e.ggsl_pieces(model)).bytes());
  }
  texts(): Pieces {
    return this.piecesIn(this.handle.ask((e, model) => e.ggsl_texts(model)).bytes());
  }
  classes(): Uint8Array {
    return this.handle.ask((e, model) => e.ggsl_classes(model)).bytes();
  }
  isEnd(token: number): boolean {
    checkInteger("token", token);
    return this.handle.call((e, model) => e.ggsl_is_end(model, token)) !== 0;
  }
  // oxlint-disable-next-line typescript/require-await -- a rejection, not a throw
  async createContext(options: ContextOptions): Promise<NativeContext> {
    return new LlamaContext(this.handle, this.graphs, options);
  }
  dispose(): void {
    this.handle.dispose();
  }

  private piecesIn(all: Uint8Array): Pieces {
    const head = 4 * (this.info.vocabSize + 1);
    return { offsets: new Int32Array(all.buffer, 0, head / 4), bytes: all.subarray(head) };
  }
}

function infoOf(handle: Handle): ModelInfo {
  const [parameters, bytes, trainedContextSize, vocabSize, bos, eos, addsBos, isRecurrent] = handle
    .ask((e, model) => e.ggsl_model_numbers(model))
    .f64() as unknown as [number, number, number, number, number, number, number, number];
  const [description = "", ...texts] = handle.ask((e, model) => e.ggsl_model_texts(model)).texts();
  const entries = texts.flatMap((key, i) => (i % 2 === 0 ? [[key, texts[i + 1]!] as const] : []));
  const metadata = Object.fromEntries(entries);
  return {
    description,
    parameters,
    bytes,
    trainedContextSize,
    vocabSize,
    bos,
    eos,
    addsBos: addsBos !== 0,
    isRecurrent: isRecurrent !== 0,
    outputDevice: "CPU",
    metadata,
  };
}
