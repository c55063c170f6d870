/** The answer to one conversation: what its text obeys, and how it is read as parts. */
import { grammarsOf } from "@ggsl/compiler/graph/grammars.js";
import { AnswerReader, type Part, type ThoughtOptions } from "../chat/answer.js";
import { callsGrammar, calledTools, shownTools } from "../chat/calls/choice.js";
import { enforceable } from "../chat/calls/enforceable.js";
import type { ChatForms } from "../chat/forms.js";
import { limitOf, promptEndOf } from "../chat/reasoning/form.js";
import type { ChatOptions } from "../chat/render.js";
import { InputError, invalid } from "../core/errors.js";
import type { NativeModel } from "../backends/native/binding.js";
import type { Generation, LoadedModel, SequenceRequest } from "../generation/generate.js";
import { prepareGrammar } from "../grammars/open.js";
import type { GrammarSource } from "../grammars/types.js";
import { grammarPlace } from "../sequence/features/model.js";
import { tokenText } from "../sequence/prompt.js";
import { chatForms, type Answer, type AnswerLimits, type AnswerParts } from "./answers.js";

type Given = ChatOptions & AnswerLimits & SequenceRequest;

/** How the answer to one conversation is read, and what its text obeys, known when its prompt is. */
export class Reading {
  private readonly model: NativeModel;
  private prompt: Int32Array = new Int32Array();
  private limit: SequenceRequest["thought"];
  /** The chain's parameter for the grammar of calls; undefined where none is enforced. */
  private readonly grammar: string | undefined;
  private readonly mustCall: boolean;
  private generation: Generation | undefined;

  /** Throws `InputError` for calls that must come, and a chain that cannot see to it. */
  constructor(
    private readonly loaded: LoadedModel,
    private readonly options: Given,
  ) {
    this.model = loaded.native;
    this.limit = options.thought;
    this.mustCall = calledTools(options) !== undefined;
    this.grammar = shownTools(options).length > 0 ? grammarParam(options, this.mustCall) : undefined;
  }

  /** Rejects with `InputError` for a limit of thoughts and a template without any, and for calls that cannot be enforced. */
  async begin(prompt: Int32Array): Promise<void> {
    this.prompt = prompt;
    const { template, reasoningBudget: most, continueFinalMessage: isBegun } = this.options;
    const forms = chatForms(this.model, template);
    if (most !== undefined) {
      const { form } = await forms.thinking();
      if (!form)
        throw invalid(
          `\`reasoningBudget\` cannot be ${most}: the model's chat template says nothing of thoughts: omit it`,
        );
      // content that goes on has no thought
      if (!isBegun) this.limit = limitOf(form, most);
    }
    if (this.grammar !== undefined) this.generation!.setUniforms({ [this.grammar]: await this.source(forms) });
  }

  /** The grammar of calls, prepared. */
  private async source(forms: ChatForms): Promise<GrammarSource> {
    const form = await forms.calls();
    const what = this.mustCall ? "`toolChoice` cannot be enforced" : "what begins as a call cannot be enforced";
    const refuse = (why: string): InputError =>
      invalid(`${what}: ${why}${this.mustCall ? "" : ": give a chain without a grammar, or a value for it"}`);
    if (!form) throw refuse("the model's chat template writes no calls of tools, or in a form that is not read");
    const { lane, signal } = this.options;
    const asked = callsGrammar(this.options, this.isParallel, { form, thoughts: await this.thoughts(forms) });
    const place = grammarPlace(this.model, this.loaded.binding, lane);
    const found =
      asked &&
      (await enforceable(asked, async ({ source }) => {
        try {
          await prepareGrammar(source, place, signal);
          return true;
        } catch (error) {
          if (error instanceof InputError && error.code !== "BUSY") return false;
          throw error;
        }
      }));
    if (!found) throw refuse("the chat template begins calls with no mark, or a schema takes too much");
    return found.source;
  }

  private get isParallel(): boolean {
    const { parallelToolCalls: isParallel = true, toolChoice: choice } = this.options;
    return isParallel && typeof choice !== "object";
  }

  private async thoughts(forms: ChatForms): Promise<ThoughtOptions | undefined> {
    const { form } = await forms.thinking();
    const isBegun = this.options.continueFinalMessage;
    const textOf = (token: number): string => tokenText(this.model, token);
    return form && { form, prompt: isBegun ? "content" : promptEndOf(form, this.prompt, textOf) };
  }

  /** After `begin`. Rejects as the template does. */
  private async open(): Promise<AnswerReader> {
    const forms = chatForms(this.model, this.options.template);
    const tools = shownTools(this.options);
    const form = tools.length > 0 ? await forms.calls() : undefined;
    const calls = form && { form, tools, isParallel: this.isParallel, isCall: this.mustCall };
    return new AnswerReader(calls, await this.thoughts(forms));
  }

  /** A request whose limit and whose grammar are those of the conversation, once they are known. */
  requestOf<T extends SequenceRequest>(request: T): T {
    const limit = (): SequenceRequest["thought"] => this.limit;
    const uniforms = this.grammar === undefined ? request.uniforms : { ...request.uniforms, [this.grammar]: UNKNOWN };
    return Object.defineProperty({ ...request, uniforms }, "thought", { get: limit, enumerable: true });
  }

  /** A generation with its parts. */
  with<G extends Generation>(generation: G): G & AnswerParts {
    this.generation = generation;
    const sum = new Sum();
    let isBegun = false;
    const open = (): Promise<AnswerReader> => this.open();
    async function* read(): AsyncGenerator<Part, void, void> {
      isBegun = true;
      let reader: AnswerReader | undefined;
      for await (const piece of generation) {
        yield* sum.add((reader ??= await open()).push(piece));
        if (reader.isFull) break;
      }
      yield* sum.add(reader?.flush() ?? []);
    }
    return Object.assign(generation, {
      parts: read,
      async answer(): Promise<Answer> {
        // what another loop has read is known
        if (!isBegun) for await (const _ of read());
        return sum.answer;
      },
    });
  }
}

/** Stands for a grammar until the form of calls is known. */
const UNKNOWN: GrammarSource = { choices: ["a"] };

/** The parameter of a chain that the grammar of calls is given to; undefined if there is none, or it has another value. */
function grammarParam({ chain, uniforms = {} }: SequenceRequest, mustCall: boolean): string | undefined {
  const [param, ...more] = grammarsOf(chain.graph);
  const isGiven = param !== undefined && (Object.hasOwn(uniforms, param.name) || (!mustCall && "default" in param));
  if (param && more.length === 0 && !isGiven) return param.name;
  if (!mustCall) return undefined;
  throw invalid(
    param && more.length === 0
      ? `\`toolChoice\` asks for a call, and \`uniforms.${param.name}\` for another text: give one`
      : `\`toolChoice\` needs a chain with one parameter of the type \`grammar\`, and \`${chain.name}\` has ${1 + more.length - (param ? 0 : 1)}: \`compile\` adds it with \`constrained: true\``,
  );
}

/** Parts so far. */
class Sum {
  private reasoning = "";
  private content = "";
  private readonly calls: { id: string; name: string; arguments: string }[] = [];

  add(parts: readonly Part[]): readonly Part[] {
    for (const part of parts)
      if (part.part !== "call") this[part.part] += part.text;
      else {
        const { index, id = "", name = "", arguments: args } = part.call;
        const call = (this.calls[index] ??= { id, name, arguments: "" });
        call.arguments += args;
      }
    return parts;
  }

  get answer(): Answer {
    const { reasoning, content, calls } = this;
    return {
      reasoning,
      content,
      calls: calls.map(({ id, ...called }) => ({ id, type: "function", function: called })),
    };
  }
}
