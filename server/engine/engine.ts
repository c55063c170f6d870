/** The model of a server, and the batch that all texts are written in. */
import { controlsIn } from "ggsl/chat/calls/controls.js";
import { ChatForms } from "ggsl/chat/forms.js";
import type { GenerationBatch } from "ggsl/models/batch.js";
import type { ContextSettings } from "ggsl/backends/contextOptions.js";
import type { Model } from "ggsl/models/model.js";
import type { Drafts } from "./drafts.js";

const NO_DRAFTS: Drafts = { lookup: false };

interface EngineOptions extends ContextSettings {
  /** The names that requests give. */
  readonly names: readonly [string, ...string[]];
  /** The name of the model's file. */
  readonly file: string;
  readonly sequences: number;
  /** More of them, that requests do not name. */
  readonly spare: number;
  /** Tokens of a text, with its prompt. */
  readonly contextSize: number;
  /** Places with a sampler of their own. */
  readonly reserved: readonly number[];
  /** What texts are drafted by. */
  readonly drafts?: Drafts | undefined;
  /** A chat template in place of the model's, or the name of one of the model's. */
  readonly template?: string | undefined;
  /** Rows that the chains of requests may compute in a decode together. */
  readonly decodeWork: number;
  /** Called after each decode. */
  readonly onDecode?: (milliseconds: number) => void;
  /** Chains that the device cannot run as a whole are errors. */
  readonly strict?: boolean | undefined;
}

export class Engine {
  #model: Model;
  #batch: GenerationBatch;
  readonly #options: Omit<EngineOptions, "names" | "file" | "template" | "drafts">;
  readonly names: readonly [string, ...string[]];
  readonly file: string;
  readonly sequences: number;
  readonly contextSize: number;
  readonly template: string | undefined;
  readonly drafts: Drafts;
  /** How the model calls tools, and how it thinks. */
  readonly forms: ChatForms;
  /** When it was opened, in seconds since 1970. */
  readonly created = Math.floor(Date.now() / 1000);

  constructor(model: Model, { names, file, template, drafts = NO_DRAFTS, ...options }: EngineOptions) {
    this.names = names;
    this.file = file;
    this.template = template;
    this.drafts = drafts;
    this.sequences = options.sequences;
    this.contextSize = options.contextSize;
    this.#options = options;
    this.#model = model;
    this.#batch = this.#open();
    const source = (): string => `${template ?? ""}${templatesOf(this.model)}`;
    this.forms = new ChatForms({
      render: (messages, given) => this.model.renderChat(messages, { ...given, template }),
      source,
      controls: () => controlsIn(source(), this.model.vocabulary),
    });
  }

  /** The first of its names. */
  get name(): string {
    return this.names[0];
  }

  get model(): Model {
    return this.#model;
  }

  get batch(): GenerationBatch {
    return this.#batch;
  }

  /** Goes on with the same model, loaded again. Texts that run have failed. */
  replace(model: Model): void {
    this.dispose();
    this.#model = model;
    this.#batch = this.#open();
  }

  /** Frees the batch and the model. */
  dispose(): void {
    this.#batch.dispose();
    this.#model.dispose();
  }

  #open(): GenerationBatch {
    const { strict, spare, sequences, ...options } = this.#options;
    return this.#model.batch({
      ...options,
      joinsAtOnce: true,
      sequences: sequences + spare,
      ...(strict && { strict }),
    });
  }
}

const templatesOf = ({ info: { metadata } }: Model): string =>
  Object.entries(metadata)
    .flatMap(([key, value]) => (key.startsWith("tokenizer.chat_template") ? [value] : []))
    .join("\n");
