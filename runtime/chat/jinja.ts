/**
 * The template engine, loaded when the first template is rendered: pages and programs without chats do not pay for it. A server loads
 * it when it starts: Node.js tries no module again that it could not read once. Its own types do not resolve in ECMAScript modules,
 * so the used part is typed here.
 */

/** A node of a parsed template. */
export interface Node {
  readonly type: string;
}
export interface Program extends Node {
  readonly body: readonly Node[];
}
/** A value while a template is rendered. */
export interface Value {
  readonly type: string;
  readonly value: unknown;
  toString(): string;
}
export interface Token {
  readonly type: string;
  readonly value: string;
}
export interface Environment {
  /** Declares a variable, and returns its value. */
  set(name: string, plain: unknown): Value;
}
interface Interpreter {
  run(program: Program): Value;
  evaluate(node: Node | undefined, scope: Environment): Value;
}

export interface Jinja {
  readonly Environment: new () => Environment;
  readonly Interpreter: new (global: Environment) => Interpreter;
  tokenize(source: string, options: { readonly lstrip_blocks: boolean; readonly trim_blocks: boolean }): Token[];
  parse(tokens: Token[]): Program;
}

let loading: Promise<Jinja> | undefined;

/** Loads it once. What failed is tried again by the next call. */
export function loadJinja(): Promise<Jinja> {
  const load = (loading ??= import("@huggingface/jinja").then((engine) => engine as unknown as Jinja));
  load.catch(() => (loading = undefined));
  return load;
}
