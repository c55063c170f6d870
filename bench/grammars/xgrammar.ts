/**
 * XGrammar, which the engine of grammars is compared with, in measurements and in tests. The npm package starts one instance for a whole
 * process, and has no exceptions: what it refuses damages its instance. So its text, from node_modules, is run once for each instance, and
 * after an error another one is started.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compileFunction } from "node:vm";
import type { Vocabulary } from "ggsl/core/vocabulary.js";
import { tokenBytes } from "ggsl/grammars/tokenBytes.js";
import { ROOT } from "../tool.js";

/** A grammar in a form that XGrammar reads itself. */
type XGrammarSource =
  | { readonly ebnf: string }
  /** With the defaults of its users: any blanks, and no properties but those that are declared. */
  | { readonly jsonSchema: object | boolean }
  | { readonly structuralTag: object };

/** XGrammar refuses a grammar, or fails at it. */
export class XGrammarError extends Error {
  override readonly name = "XGrammarError";
}

/** An object of C++. */
interface Handle {
  delete(): void;
}
interface MatcherHandle extends Handle {
  AcceptToken(token: number, isVerbose: boolean): boolean;
  GetNextTokenBitmask(vocabSize: number): Handle;
}
interface CompilerHandle extends Handle {
  CompileGrammar(grammar: Handle): Handle;
  CompileJSONSchema(
    schema: string,
    anyWhitespace: boolean,
    indent: undefined,
    separators: undefined,
    isStrict: boolean,
    mostBlanks: undefined,
  ): Handle;
  CompileStructuralTag(tag: string): Handle;
}

/** The used part of what the module exports. */
interface Classes {
  readonly Grammar: { readonly FromEBNF: (text: string, root: string) => Handle };
  readonly TokenizerInfo: new (
    texts: Handle,
    type: "RAW",
    vocabSize: number,
    ends: Handle,
    addsBlank: boolean,
  ) => Handle;
  readonly GrammarCompiler: new (vocabulary: Handle, threads: number, isCached: boolean) => CompilerHandle;
  readonly GrammarMatcher: new (
    compiled: Handle,
    ends: undefined,
    endsWithoutToken: boolean,
    mostTakenBack: number,
  ) => MatcherHandle;
  vecStringFromJSArray(texts: readonly Uint8Array[]): Handle;
  vecIntFromJSArray(numbers: readonly number[]): Handle;
  vecIntToView(numbers: Handle): Int32Array;
}

interface Instance {
  readonly classes: Classes;
  /** Tokens. */
  readonly size: number;
  readonly compiler: CompilerHandle;
  /** What it has written: errors have their messages there. */
  readonly messages: string[];
}

/** A call of an instance, whose error ends it. */
type Run = <T>(call: () => T) => T;

/** An instance with a vocabulary, and another after each error. */
export class XGrammar {
  #instance: Instance | undefined;

  constructor(private readonly vocabulary: Vocabulary) {}

  /** Starts an instance, unless there is one. */
  async ready(): Promise<void> {
    this.#instance ??= await started(this.vocabulary);
  }

  /** Rejects with `XGrammarError` for what it refuses; what was compiled before can not be used any more then. */
  async compile(source: XGrammarSource): Promise<XGrammarCompiled> {
    await this.ready();
    const instance = this.#instance!;
    const run: Run = (call) => {
      if (instance !== this.#instance) throw new XGrammarError("another grammar has ended this instance");
      instance.messages.length = 0;
      try {
        return call();
      } catch (error) {
        this.#instance = undefined;
        throw failure(error, instance.messages);
      }
    };
    const handle = run(() => compiled(instance, source));
    return new XGrammarCompiled(instance, handle, run);
  }
}

/** A grammar over a vocabulary. */
export class XGrammarCompiled {
  constructor(
    private readonly instance: Instance,
    private readonly handle: Handle,
    private readonly run: Run,
  ) {}

  begin(): XGrammarText {
    const { GrammarMatcher } = this.instance.classes;
    const matcher = this.run(() => new GrammarMatcher(this.handle, undefined, false, 0));
    return new XGrammarText(this.instance, matcher, this.run);
  }

  delete(): void {
    this.handle.delete();
  }
}

/** A text, which each token that is accepted makes longer. */
class XGrammarText {
  constructor(
    private readonly instance: Instance,
    private readonly matcher: MatcherHandle,
    private readonly run: Run,
  ) {}

  /** A bit for each token that may come next, as `GrammarState.bits`. */
  bits(): Uint32Array {
    const { classes, size } = this.instance;
    return this.run(() => {
      const mask = this.matcher.GetNextTokenBitmask(size);
      const bits = Uint32Array.from(classes.vecIntToView(mask));
      mask.delete();
      return bits;
    });
  }

  /** Whether the token may come next; the text is then after it. */
  accept(token: number): boolean {
    return this.run(() => this.matcher.AcceptToken(token, false));
  }

  delete(): void {
    this.matcher.delete();
  }
}

function compiled({ classes, compiler }: Instance, source: XGrammarSource): Handle {
  if ("structuralTag" in source)
    return compiler.CompileStructuralTag(JSON.stringify({ type: "structural_tag", format: source.structuralTag }));
  if ("jsonSchema" in source)
    return compiler.CompileJSONSchema(JSON.stringify(source.jsonSchema), true, undefined, undefined, true, undefined);
  const grammar = classes.Grammar.FromEBNF(source.ebnf, "root");
  const handle = compiler.CompileGrammar(grammar);
  grammar.delete();
  return handle;
}

/** It throws an address in its memory, or writes a message and aborts. What else is thrown is no verdict on a grammar. */
function failure(error: unknown, messages: readonly string[]): unknown {
  if (typeof error === "number") return new XGrammarError("XGrammar refuses it, without a message");
  const fatal = /\[FATAL\] \S*:\d+: ([^]*?)\s*(?:Aborted|$)/.exec(messages.join("\n"))?.[1];
  return fatal === undefined ? error : new XGrammarError(`XGrammar refuses it: ${fatal}`);
}

/** Takes 15 ms, and what the vocabulary takes. */
async function started(vocabulary: Vocabulary): Promise<Instance> {
  const messages: string[] = [];
  const write = (text: string): void => void messages.push(text);
  const exports: { open?: () => Promise<Classes> } = {};
  library(exports, {}, {}, { href: "" }, { log: write, error: write });
  const classes = await exports.open!();
  const { bytes, offsets } = tokenBytes(vocabulary);
  const size = offsets.length - 1;
  // tokens without a text never come next
  const texts = classes.vecStringFromJSArray(
    Array.from({ length: size }, (_, token) => bytes.slice(offsets[token], offsets[token + 1])),
  );
  const ends = classes.vecIntFromJSArray(vocabulary.classes?.end ?? []);
  const info = new classes.TokenizerInfo(texts, "RAW", size, ends, false);
  const compiler = new classes.GrammarCompiler(info, 1, false);
  for (const handle of [texts, ends, info]) handle.delete();
  return { classes, size, compiler, messages };
}

const LIBRARY = join(ROOT, "node_modules", "@mlc-ai", "web-xgrammar", "lib", "index.js");
/** What its text is given in place of what Node.js has: `console`, and otherwise what a page has. The others are undefined. */
const GIVEN = ["exports", "module", "window", "location", "console"];
const HIDDEN = ["process", "document", "importScripts", "require", "define", "self", "__filename"];

/** Runs the package's text; `exports.open` then starts the instance, and gives what only the package's own code could use. */
const library = compileFunction(
  [
    ["await import('module')", "{}"],
    ["exports.default = index;", "exports.open = async () => { await asyncInitBinding(); return binding; };"],
  ].reduce((text, [from, to]) => replaced(text, from!, to!), readFileSync(LIBRARY, "utf8")),
  [...GIVEN, ...HIDDEN],
) as (...given: readonly object[]) => void;

function replaced(text: string, from: string, to: string): string {
  if (text.split(from).length !== 2)
    throw new Error(`${LIBRARY}: expected \`${from}\` once: another version? Run: npm ci`);
  return text.replace(from, () => to);
}
