/**
 * XGrammar with the vocabularies, grammars and positions that are in use. It runs in a worker thread, or in the thread that uses
 * it. After an error of its instance it starts another one, and everything that was open is gone: its `epoch` says so.
 */
import { GRAMMAR_LIMITS } from "../limits.js";
import { EngineError, Instance, type CompiledHandle, type MatcherHandle, type Prepared } from "./instance.js";

/** A vocabulary as bytes: the text of token i is from `offsets[i]` to `offsets[i + 1]`, empty for one that never comes next. */
export interface EngineVocabulary {
  readonly id: number;
  readonly bytes: Uint8Array;
  readonly offsets: Int32Array;
  /** The tokens that come where a grammar may end. */
  readonly ends: readonly number[];
}

interface VocabularyRequest {
  readonly type: "vocabulary";
  readonly texts: EngineVocabulary;
}

export interface OpenRequest {
  readonly type: "open";
  readonly vocabulary: number;
  /** Absent if the engine should have it. */
  readonly texts?: EngineVocabulary | undefined;
  readonly grammar: Prepared;
}

interface MoveRequest {
  readonly type: "move";
  readonly matcher: number;
  readonly epoch: number;
  /** First takes back so many tokens. */
  readonly back: number;
  readonly tokens: readonly number[];
  /** The bits before and after each of the last `masks - 1` tokens are wanted; at least 1, those of the last position. */
  readonly masks: number;
}

interface CloseRequest {
  readonly type: "close";
  readonly matcher: number;
  readonly epoch: number;
}

export type EngineRequest = VocabularyRequest | OpenRequest | MoveRequest | CloseRequest;

export type EngineReply =
  | { readonly type: "ready" }
  | { readonly type: "opened"; readonly matcher: number; readonly epoch: number }
  /** `accepted` of the tokens; bits of the wanted positions that there are, in order. */
  | { readonly type: "moved"; readonly accepted: number; readonly bits: readonly Uint32Array[] }
  | { readonly type: "closed" }
  /** The engine has not got it any more, or yet. */
  | { readonly type: "gone"; readonly what: "vocabulary" | "matcher" }
  | { readonly type: "failed"; readonly message: string; readonly kind: "refused" | "limit" };

interface OpenVocabulary {
  readonly compiler: ReturnType<Instance["compiler"]>;
  readonly size: number;
  readonly grammars: Map<string, OpenGrammar>;
}

/** A grammar and how many matchers use it: one that none uses can be forgotten. */
interface OpenGrammar {
  readonly compiled: CompiledHandle;
  users: number;
}

interface OpenMatcher {
  readonly handle: MatcherHandle;
  readonly size: number;
  readonly grammar: OpenGrammar;
}

export interface EngineOptions {
  /** The memory of an instance. */
  readonly memoryBytes: number;
  /** Whether grammars come that nothing has prepared before: an instance reads them first, so that one that is refused ends only this. */
  readonly reads: boolean;
  /** Prepared grammars of a vocabulary that are kept while no text uses them. */
  readonly prepared: number;
}

/** After a grammar that took so many bytes, an engine that keeps none starts anew: memory never becomes less. */
const ROOM = 2 ** 27;

export class Engine {
  private instance: Instance | undefined;
  private reader: Instance | undefined;
  private epoch = 0;
  private vocabularies = new Map<number, OpenVocabulary>();
  private matchers = new Map<number, OpenMatcher>();
  private next = 0;

  constructor(private readonly options: EngineOptions) {}

  /** To be awaited before `answer`, after a reply `failed` again. */
  async load(): Promise<void> {
    const { memoryBytes, reads } = this.options;
    this.instance ??= await Instance.start(memoryBytes);
    if (reads) this.reader ??= await Instance.start(memoryBytes);
  }

  get isLoaded(): boolean {
    return this.instance !== undefined && (this.reader !== undefined || !this.options.reads);
  }

  answer(request: EngineRequest): EngineReply {
    try {
      switch (request.type) {
        case "vocabulary":
          return this.guarded((instance) => {
            this.vocabularyOf(instance, request.texts.id, request.texts);
            return { type: "ready" };
          });
        case "open":
          return this.open(request);
        case "move":
          return this.move(request);
        case "close":
          return this.close(request);
      }
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      return { type: "failed", message: error.message, kind: error.kind };
    }
  }

  private open({ vocabulary: id, texts, grammar }: OpenRequest): EngineReply {
    const known = this.vocabularies.get(id);
    if (!known && !texts) return { type: "gone", what: "vocabulary" };
    const key = JSON.stringify(grammar);
    if (!known?.grammars.has(key)) this.read(grammar);
    return this.guarded((instance) => {
      const vocabulary = this.vocabularyOf(instance, id, texts);
      const open = vocabulary.grammars.get(key) ?? {
        compiled: instance.compile(vocabulary.compiler, grammar),
        users: 0,
      };
      latest(vocabulary.grammars, key, open);
      const handle = instance.matcher(open.compiled);
      open.users++;
      this.matchers.set(++this.next, { handle, size: vocabulary.size, grammar: open });
      this.forgetUnused(vocabulary);
      return { type: "opened", matcher: this.next, epoch: this.epoch };
    });
  }

  private vocabularyOf(instance: Instance, id: number, texts: EngineVocabulary | undefined): OpenVocabulary {
    const vocabulary = this.vocabularies.get(id) ?? this.openVocabulary(instance, texts!);
    latest(this.vocabularies, id, vocabulary);
    return vocabulary;
  }

  private forgetUnused({ grammars }: OpenVocabulary): void {
    forget(grammars, this.options.prepared, ({ compiled, users }) => users === 0 && compiled);
  }

  /** Frees memory, if it is much; texts are opened again. */
  freeMemory(): void {
    if ((this.instance?.bytes ?? 0) > ROOM) this.reset();
  }

  private openVocabulary(instance: Instance, { bytes, offsets, ends }: EngineVocabulary): OpenVocabulary {
    const size = offsets.length - 1;
    const texts = Array.from({ length: size }, (_, token) => bytes.subarray(offsets[token], offsets[token + 1]));
    const isUnused = ({ grammars }: OpenVocabulary): boolean =>
      [...grammars.values()].every(({ users }) => users === 0);
    forget(this.vocabularies, GRAMMAR_LIMITS.vocabularies - 1, (vocabulary) => {
      if (!isUnused(vocabulary)) return false;
      for (const { compiled } of vocabulary.grammars.values()) compiled.delete();
      return vocabulary.compiler;
    });
    return { compiler: instance.compiler(texts, ends), size, grammars: new Map() };
  }

  private move({ matcher, epoch, back, tokens, masks }: MoveRequest): EngineReply {
    const open = epoch === this.epoch ? this.matchers.get(matcher) : undefined;
    if (!open) return { type: "gone", what: "matcher" };
    const { handle, size } = open;
    return this.guarded((instance) => {
      instance.rollback(handle, back);
      const bits: Uint32Array[] = [];
      const first = tokens.length + 1 - masks;
      let accepted = 0;
      for (; ; accepted++) {
        if (accepted >= first) bits.push(instance.bits(handle, size));
        if (accepted === tokens.length || !instance.accept(handle, tokens[accepted]!)) break;
      }
      return { type: "moved", accepted, bits };
    });
  }

  private close({ matcher, epoch }: CloseRequest): EngineReply {
    const open = epoch === this.epoch ? this.matchers.get(matcher) : undefined;
    if (open) {
      this.matchers.delete(matcher);
      open.handle.delete();
      open.grammar.users--;
      if (this.options.prepared === 0)
        for (const vocabulary of this.vocabularies.values()) this.forgetUnused(vocabulary);
    }
    return { type: "closed" };
  }

  private read(grammar: Prepared): void {
    try {
      this.reader?.read(grammar);
    } catch (error) {
      this.reader = undefined;
      throw error;
    }
  }

  /** Runs a call of the instance that has everything; an error ends it. */
  private guarded(call: (instance: Instance) => EngineReply): EngineReply {
    try {
      return call(this.instance!);
    } catch (error) {
      this.reset();
      throw error;
    }
  }

  private reset(): void {
    this.instance = undefined;
    this.epoch++;
    this.vocabularies = new Map();
    this.matchers = new Map();
  }
}

/** Makes an entry the last one, which is forgotten last. */
function latest<K, V>(map: Map<K, V>, key: K, value: V): void {
  map.delete(key);
  map.set(key, value);
}

/** Forgets the oldest entries that can be, until there are at most `most`. */
function forget<K, V>(map: Map<K, V>, most: number, unused: (value: V) => { delete(): void } | false): void {
  for (const [key, value] of map) {
    if (map.size <= most) return;
    const handle = unused(value);
    if (handle === false) continue;
    handle.delete();
    map.delete(key);
  }
}
