/**
 * An instance of XGrammar in WebAssembly. Its code is compiled without exceptions: any error ends it, and leaves its stack and its
 * memory as they were at that moment. So an instance is used until its first error, and then another is started.
 */
import { webAssembly, type WasmMemory, type WasmModule } from "../../backends/wasm/webAssembly.js";

/** An object of C++ in an instance. */
export interface Handle {
  delete(): void;
  readonly constructor: unknown;
  readonly $$: { readonly ptr: number };
}

interface Vector<T> extends Handle {
  push_back(value: T): void;
  size(): number;
}

interface TokenizerHandle extends Handle {
  GetDecodedVocab(): Vector<Uint8Array>;
}

type GrammarHandle = Handle;
export type CompiledHandle = Handle;

interface CompilerHandle extends Handle {
  CompileGrammar(grammar: GrammarHandle): CompiledHandle;
  CompileStructuralTag(tag: string): CompiledHandle;
}

export interface MatcherHandle extends Handle {
  AcceptToken(token: number, verbose: boolean): boolean;
  GetNextTokenBitmask(vocabSize: number): Vector<number>;
  IsTerminated(): boolean;
  Rollback(count: number): void;
}

/** A grammar in one of the forms that XGrammar reads. */
export type Prepared = { readonly ebnf: string } | { readonly structuralTag: string };

interface GrammarClass {
  readonly FromEBNF: (text: string, root: string) => GrammarHandle;
  readonly FromStructuralTag: (tag: string) => GrammarHandle;
}

/** The part of the package that makes one object of each class. */
interface Package {
  readonly Grammar: { fromEBNF(text: string): Promise<{ handle: GrammarHandle }> };
  readonly TokenizerInfo: {
    createTokenizerInfo(...args: [string[], string, boolean, number, number[]]): Promise<{ handle: TokenizerHandle }>;
  };
  readonly GrammarCompiler: {
    createGrammarCompiler(info: object, cache: boolean): Promise<{ handle: CompilerHandle }>;
  };
  readonly GrammarMatcher: { createGrammarMatcher(compiled: object): Promise<{ handle: MatcherHandle }> };
}

/** The classes of an instance: the package exports only functions that return promises. */
interface Classes {
  readonly Grammar: GrammarClass;
  readonly Tokenizer: new (
    texts: Vector<Uint8Array>,
    type: "RAW",
    vocabSize: number,
    ends: Vector<number>,
    addsBlank: boolean,
  ) => TokenizerHandle;
  readonly Compiler: new (info: TokenizerHandle, threads: number, cache: boolean) => CompilerHandle;
  readonly Matcher: new (
    compiled: CompiledHandle,
    ends: undefined,
    endsWithoutToken: boolean,
    rollback: number,
  ) => MatcherHandle;
  readonly Texts: new () => Vector<Uint8Array>;
  readonly Numbers: new () => Vector<number>;
}

/** An error of XGrammar, with its message; the instance is over. */
export class EngineError extends Error {
  override readonly name = "EngineError";
  constructor(
    message: string,
    readonly kind: "refused" | "limit",
  ) {
    super(message);
  }
}

/** What the code of the module is given in place of JavaScript's own, to know its memory and its messages. */
class Surroundings {
  readonly messages: string[] = [];

  constructor(readonly memoryBytes: number) {}

  memory: (WasmMemory & { grow(pages: number): number }) | undefined;

  readonly console = {
    log: (text: string) => void this.messages.push(text),
    error: (text: string) => void this.messages.push(text),
  };

  readonly WebAssembly = {
    Memory: undefined,
    RuntimeError: Error,
    instantiate: async (bytes: Uint8Array, imports: object) => {
      compiled ??= webAssembly.compile(bytes);
      const instance = new webAssembly.Instance(await compiled, imports);
      const exports = Object.values(instance.exports as Record<string, unknown>);
      const memory = exports.find((value) => isMemory(value)) as NonNullable<Surroundings["memory"]>;
      // its own limit is 2 GiB
      const grow = memory.grow.bind(memory);
      memory.grow = (pages) => {
        if (memory.buffer.byteLength + pages * PAGE > this.memoryBytes) throw new RangeError(OUT_OF_MEMORY);
        return grow(pages);
      };
      this.memory = memory;
      return { instance };
    },
  };
}

const isMemory = (value: unknown): boolean => Object.prototype.toString.call(value) === "[object WebAssembly.Memory]";
const PAGE = 65_536;
const OUT_OF_MEMORY = "out of memory";

let compiled: Promise<WasmModule> | undefined;

/** The lower part of the stack is left empty: what is written there shows that the stack was nearly too small. */
const SPARE = 16_384;

export class Instance {
  private constructor(
    private readonly around: Surroundings,
    private readonly classes: Classes,
    private readonly spare: number,
  ) {
    this.spareWords().fill(0);
  }

  /** Starts an instance. It takes 20 ms. */
  static async start(memoryBytes: number): Promise<Instance> {
    const { library, STACK } = await import("./library.mjs");
    const around = new Surroundings(memoryBytes);
    const classes = await classesOf(library(around) as Package);
    return new Instance(around, classes, STACK[0]);
  }

  /** Reads a grammar without a vocabulary. Throws `EngineError` for one that XGrammar refuses. */
  read(prepared: Prepared): void {
    const { Grammar } = this.classes;
    this.run(() => {
      if ("ebnf" in prepared) return Grammar.FromEBNF(prepared.ebnf, "root").delete();
      Grammar.FromStructuralTag(prepared.structuralTag).delete();
    });
  }

  /** Prepares a vocabulary. Tokens without a text never come next; `ends` come where a grammar may end. */
  compiler(texts: readonly Uint8Array[], ends: readonly number[]): CompilerHandle {
    const { Texts, Numbers, Tokenizer, Compiler } = this.classes;
    return this.run(() => {
      const all = new Texts();
      for (const text of texts) all.push_back(text);
      const stops = new Numbers();
      for (const token of ends) stops.push_back(token);
      const info = new Tokenizer(all, "RAW", texts.length, stops, false);
      all.delete();
      stops.delete();
      const compiler = new Compiler(info, 1, false);
      info.delete();
      return compiler;
    });
  }

  compile(compiler: CompilerHandle, prepared: Prepared): CompiledHandle {
    return this.run(() => {
      if ("structuralTag" in prepared) return compiler.CompileStructuralTag(prepared.structuralTag);
      const grammar = this.classes.Grammar.FromEBNF(prepared.ebnf, "root");
      const result = compiler.CompileGrammar(grammar);
      grammar.delete();
      return result;
    });
  }

  matcher(grammar: CompiledHandle): MatcherHandle {
    return this.run(() => new this.classes.Matcher(grammar, undefined, false, -1));
  }

  /** Whether the token may come next; the matcher is then after it. */
  accept(matcher: MatcherHandle, token: number): boolean {
    return this.run(() => matcher.AcceptToken(token, false));
  }

  rollback(matcher: MatcherHandle, count: number): void {
    if (count > 0) this.run(() => matcher.Rollback(count));
  }

  /** A bit for each token that may come next. */
  bits(matcher: MatcherHandle, vocabSize: number): Uint32Array {
    return this.run(() => {
      const vector = matcher.GetNextTokenBitmask(vocabSize);
      // C++'s vector: where it begins and ends
      const [begin, end] = new Uint32Array(this.memory(), vector.$$.ptr, 2);
      const words = new Uint32Array(this.memory(), begin, (end! - begin!) / 4).slice();
      vector.delete();
      return words;
    });
  }

  /** Bytes of memory, which never become fewer. */
  get bytes(): number {
    return this.memory().byteLength;
  }

  private memory(): ArrayBuffer {
    return this.around.memory!.buffer;
  }

  private spareWords(): Int32Array {
    return new Int32Array(this.memory(), this.spare, SPARE / 4);
  }

  /** From the end, which the stack reaches first; a plain loop, since it runs for each token. */
  private isSpared(): boolean {
    const words = this.spareWords();
    for (let i = words.length; i-- > 0;) if (words[i] !== 0) return false;
    return true;
  }

  private run<T>(call: () => T): T {
    const { messages } = this.around;
    messages.length = 0;
    let result: T;
    try {
      result = call();
    } catch (error) {
      throw this.failure(error);
    }
    if (!this.isSpared()) throw new EngineError("it is nested too deeply", "limit");
    return result;
  }

  private failure(error: unknown): EngineError {
    const text = this.around.messages.join("\n");
    const fatal = /\[FATAL\] \S*:\d+: ([^]*?)\n?Aborted/.exec(text)?.[1] ?? /\[FATAL\] \S*:\d+: ([^]*)/.exec(text)?.[1];
    if (fatal !== undefined) return new EngineError(withoutPath(fatal), "refused");
    if (error instanceof RangeError) return new EngineError("it is nested too deeply", "limit");
    // `abort` without a message follows an allocation that fails
    return new EngineError(
      `it needs more than ${this.around.memoryBytes} bytes of memory, or is nested too deeply`,
      "limit",
    );
  }
}

/** Without the condition in C++ that failed. */
const withoutPath = (message: string): string => message.replace(/^Check failed: \(.*?\)(?: is false)?: /, "").trim();

/** Makes an object of each class, and takes its class. */
async function classesOf({ Grammar, TokenizerInfo, GrammarCompiler, GrammarMatcher }: Package): Promise<Classes> {
  const grammar = await Grammar.fromEBNF('root ::= "a"');
  const info = await TokenizerInfo.createTokenizerInfo(["a", "b"], "raw", false, 2, [1]);
  const compiler = await GrammarCompiler.createGrammarCompiler(info, false);
  const compiled = compiler.handle.CompileGrammar(grammar.handle);
  const matcher = await GrammarMatcher.createGrammarMatcher({
    handle: compiled,
    tokenizerInfo: () => ({ getVocabSize: () => 2 }),
  });
  const texts = info.handle.GetDecodedVocab();
  const numbers = matcher.handle.GetNextTokenBitmask(2);
  const made = { Grammar: grammar.handle, Tokenizer: info.handle, Compiler: compiler.handle, Matcher: matcher.handle };
  const all = { ...made, Texts: texts, Numbers: numbers };
  const classes = Object.fromEntries(Object.entries(all).map(([name, { constructor }]) => [name, constructor]));
  for (const handle of [numbers, texts, matcher.handle, compiled, compiler.handle, info.handle, grammar.handle])
    handle.delete();
  return classes as unknown as Classes;
}
