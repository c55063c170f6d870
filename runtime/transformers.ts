/// <reference lib="esnext.disposable" preserve="true" />
/**
 * Chains as a sampler of transformers.js. transformers.js has no place for a sampler of another library, but for
 * processors of logits, which it calls synchronously: this one leaves the logit of the token that a chain picks and drops all others.
 * @module ggsl/transformers
 */
import { LogitsProcessor, StoppingCriteria, type Tensor } from "@huggingface/transformers";
import type { Chain } from "./chain/chain.js";
import * as is from "./core/check.js";
import { phrasesOf } from "@ggsl/compiler/graph/phrases.js";
import { InputError, invalid } from "./core/errors.js";
import { createEvaluator, EVALUATE, type EvaluateOptions, type Evaluator } from "./chain/evaluate.js";
import { checkPicks } from "./generation/request.js";
import * as checks from "./core/sharedOptions.js";

export interface ChainProcessorOptions extends Omit<EvaluateOptions, "history"> {
  /** The id that fills prompts of a batch up at their beginnings: these are no part of the text. */
  readonly padToken?: number | undefined;
}

/** A text of the batch. */
interface Row {
  readonly evaluator: Evaluator;
  /** Its tokens so far. */
  length: number;
}

/**
 * Picks each token by a chain: `model.generate({ ..., do_sample: false, logits_processor: [processor] })`. It belongs to one call of
 * `generate`, as it keeps the state of each text of the batch. Dispose it afterwards, with `using` or `dispose()`.
 */
export class ChainProcessor extends LogitsProcessor implements Disposable {
  private readonly rows: Row[] = [];
  private readonly ended: (string | undefined)[] = [];
  private isDisposed = false;

  /**
   * @param options a function gives each text of the batch options of its own, such as a seed
   * @throws InputError for a chain that picks no token, or options of a wrong type
   */
  constructor(
    private readonly chain: Chain,
    private readonly options: ChainProcessorOptions | ((row: number) => ChainProcessorOptions) = {},
  ) {
    super();
    checks.chain(chain, "chain");
    checkPicks(chain.graph);
    if (phrasesOf(chain.graph).length > 0)
      throw invalid(
        `the chain \`${chain.graph.name}\` has phrases that must not be written, and transformers.js takes no text back: leave out the stage that asks for them, such as \`ban_phrases\``,
      );
    if (typeof options !== "function") checkOptions(options);
  }

  /** Called by transformers.js for each token. The logits are `[batch, V]`, f32; they are replaced in place. */
  override _call(ids: bigint[][], logits: Tensor): Tensor {
    if (this.isDisposed) throw new InputError("this processor is disposed", { code: "DISPOSED" });
    const data = logits.data as Float32Array;
    const size = data.length / ids.length;
    ids.forEach((tokens, row) => {
      const values = data.subarray(row * size, (row + 1) * size);
      const { token, stop } = this.textOf(row, tokens, size).evaluate(values);
      this.ended[row] = stop;
      values.fill(-Infinity);
      values[token!] = 0;
    });
    return logits;
  }

  /** For each text the name of the `stop when` of the chain that ends it with its latest token; see `ChainStops`. */
  get stops(): readonly (string | undefined)[] {
    return this.ended;
  }

  /** The evaluator of a text, after its last token. */
  private textOf(row: number, tokens: readonly bigint[], vocabSize: number): Evaluator {
    const known = this.rows[row];
    if (!known) {
      const { padToken, ...options } = this.optionsOf(row);
      const first = padToken === undefined ? 0 : tokens.findIndex((token) => Number(token) !== padToken);
      const history = first < 0 ? [] : tokens.slice(first).map(Number);
      const evaluator = createEvaluator(this.chain.graph, vocabSize, { ...options, history });
      this.rows[row] = { evaluator, length: tokens.length };
      return evaluator;
    }
    if (tokens.length !== known.length + 1)
      throw invalid(
        `text ${row} has ${tokens.length} tokens, expected ${known.length + 1}, one more than before: use a processor of its own for each call of \`generate\``,
      );
    known.evaluator.accept(Number(tokens.at(-1)));
    known.length = tokens.length;
    return known.evaluator;
  }

  private optionsOf(row: number): ChainProcessorOptions {
    if (typeof this.options !== "function") return this.options;
    const options = this.options(row);
    checkOptions(options);
    return options;
  }

  /** Frees the native memory of all texts; harmless when called twice. */
  dispose(): void {
    this.isDisposed = true;
    for (const { evaluator } of this.rows) evaluator.dispose();
    this.rows.length = 0;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

/** Ends each text where a `stop when` of its chain holds, for the same call of `generate`: `stopping_criteria: new ChainStops(processor)`. */
export class ChainStops extends StoppingCriteria {
  constructor(private readonly processor: ChainProcessor) {
    super();
  }

  /** Called by transformers.js after each token. */
  override _call(ids: number[][]): boolean[] {
    return ids.map((_, row) => this.processor.stops[row] !== undefined);
  }
}

const { history: _, ...WITHOUT_HISTORY } = EVALUATE;
const OPTIONS: is.Checks<ChainProcessorOptions> = { ...WITHOUT_HISTORY, padToken: is.integer(0) };
const checkAll = is.options(OPTIONS);
const checkOptions = (options: ChainProcessorOptions): void => checkAll(options, "options");
