/** Calls of tools that a program asks for: `toolChoice` and `parallelToolCalls` of `model.chat`. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { compile, compilePipeline } from "ggsl/chain/chain.js";
import type { ToolChoice } from "ggsl/chat/calls/choice.js";
import type { ChatMessage, Tool } from "ggsl/chat/messages.js";
import type { Answer } from "ggsl/models/answers.js";
import { loadModel, type Model } from "ggsl/models/model.js";
import { DEMO_MODEL } from "../model/file.js";

const template = `{% for tool in tools or [] %}{{ tool.function.name }} {% endfor %}{% for m in messages %}{{ m.role }}: {{ m.content }}{% for call in m.tool_calls or [] %}<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>{% endfor %}{{ '\\n' }}{% endfor %}{% if add_generation_prompt %}assistant: {% endif %}`;
const place = {
  type: "object",
  properties: { book: { enum: ["Ruth", "Job"] }, verse: { type: "integer", minimum: 1, maximum: 9 } },
  required: ["book", "verse"],
  additionalProperties: false,
};
const tools: readonly Tool[] = ["find", "read"].map((name) => ({
  type: "function",
  function: { name, parameters: place },
}));
const named = (name: string): ToolChoice => ({ type: "function", function: { name } });

const messages: readonly ChatMessage[] = [{ role: "user", content: "And God said" }];
const source = 'import { temp, dist } from "std"\nchain c() = temp(1.2) |> dist()';
const chain = compile(source, { constrained: true });
const likeliest = 'import { greedy } from "std"\nchain c() = greedy()';
const free = compilePipeline("greedy()");

let model: Model;
beforeAll(async () => (model = await loadModel(DEMO_MODEL, { backend: "cpu", contextSize: 512 })));
afterAll(() => model.dispose());

const base = { chain, template, tools, seed: 3, maxTokens: 200 };
/** Names of calls, with arguments that the schema allows. */
const called = ({ calls }: Answer): string[] =>
  calls.map(({ function: { name, arguments: args } }) => {
    const { book, verse, ...rest } = JSON.parse(args as string) as { book: string; verse: number };
    expect([["Ruth", "Job"].includes(book), verse >= 1 && verse <= 9, rest]).toEqual([true, true, {}]);
    return name;
  });

describe("toolChoice", () => {
  test("a call that must come is one of a tool, with arguments that its schema allows", async () => {
    for (let seed = 0; seed < 4; seed++) {
      const options = { ...base, seed, parallelToolCalls: false };
      const answer = await model.chat(messages, { ...options, toolChoice: "required" }).answer();
      const names = called(answer);
      expect([answer.content, names.length]).toEqual(["", 1]);
      expect(["find", "read"]).toContain(names[0]);
      expect(called(await model.chat(messages, { ...options, toolChoice: named("read") }).answer())).toEqual(["read"]);
    }
    using batch = model.batch({ sequences: 2 });
    const both = await Promise.all(
      [1, 2].map(() => batch.chat(messages, { ...base, toolChoice: named("find") }).answer()),
    );
    expect(both.map(called)).toEqual([["find"], ["find"]]);
  });

  test("with `none` the model is not shown the tools, and no text is a call", async () => {
    const options = { template, tools, toolChoice: "none" as const };
    expect(await model.renderChat(messages, options)).toBe("user: And God said\nassistant: ");
    expect(await model.renderChat(messages, { ...options, toolChoice: "auto" })).toMatch(/^find read user/);
    const text = '<tool_call>\n{"name": "find", "arguments": {}}\n</tool_call>';
    const writing = compile('import { constrain, greedy } from "std"\nchain c(g: grammar) = constrain(g) |> greedy()');
    const given = { ...options, chain: writing, uniforms: { g: { choices: [text] } } };
    expect(await model.chat(messages, given).answer()).toMatchObject({ content: text, calls: [] });
  });

  test("with `auto` what begins as a call is one, and a schema that cannot be enforced has any arguments", async () => {
    // a word of the model's likeliest text is the mark
    const marked =
      '{% for m in messages %}{{ m.content }}{% for call in m.tool_calls or [] %} LORD{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}{% endfor %}{% endfor %}';
    const options = {
      ...base,
      template: marked,
      chain: compile(likeliest, { constrained: true }),
      parallelToolCalls: false,
    };
    const asked: readonly ChatMessage[] = [{ role: "user", content: "In the beginning" }];
    const answer = await model.chat(asked, options).answer();
    expect([answer.content, called(answer).length]).toEqual([" of the", 1]);
    const parameters = { type: "object", properties: { a: { type: "array", uniqueItems: true } }, required: ["a"] };
    const unenforced: Tool = { type: "function", function: { name: "unenforced", parameters } };
    const loose = await model.chat(asked, { ...options, tools: [unenforced] }).answer();
    expect(loose).toMatchObject({ content: " of the", calls: [{ function: { name: "unenforced" } }] });
    // a chain without a grammar, and one whose grammar is given, are taken as they are
    const plain = await model.chat(asked, { ...options, chain: free, maxTokens: 6 }).answer();
    expect([plain.content.startsWith(" of the LORD"), plain.calls]).toEqual([true, []]);
    const given = { ...options, uniforms: { grammar: { choices: [" LORD!"] } } };
    expect(await model.chat(asked, given).answer()).toMatchObject({ content: " LORD!", calls: [] });
    await expect(model.chat(messages, { ...options, template: "{{ messages[0].content }}" }).answer()).rejects.toThrow(
      "what begins as a call cannot be enforced: the model's chat template writes no calls",
    );
  });

  test("the answer is over after its first call without parallel ones, also of a chain without a grammar", async () => {
    const call = '<tool_call>\n{"name": "find", "arguments": {"book": "Job", "verse": 1}}\n</tool_call>';
    const writing = compile('import { constrain, greedy } from "std"\nchain c(g: grammar) = constrain(g) |> greedy()');
    const given = { ...base, chain: writing, uniforms: { g: { choices: [`${call}${call}`] } } };
    expect(called(await model.chat(messages, given).answer()).length).toBe(2);
    const generation = model.chat(messages, { ...given, parallelToolCalls: false });
    expect(called(await generation.answer())).toEqual(["find"]);
  });

  test.each([
    [{ toolChoice: "required", tools: undefined }, "`toolChoice` needs `tools`"],
    [{ toolChoice: named("write") }, "`toolChoice` names `write`, and the tools are `find`, `read`"],
    [{ toolChoice: "required", chain: free }, "needs a chain with one parameter of the type `grammar`"],
    [
      { toolChoice: "required", uniforms: { grammar: { choices: ["a"] } } },
      "`toolChoice` asks for a call, and `uniforms.grammar` for another text",
    ],
    [{ toolChoice: "any" }, "`toolChoice` must be"],
    [{ toolChoice: "required", template: "{{ messages[0].content }}" }, "writes no calls of tools"],
    [
      {
        toolChoice: "required",
        continueFinalMessage: true,
        messages: [...messages, { role: "assistant", content: "a" }],
      },
      "`continueFinalMessage` for content that goes on: give one",
    ],
  ])("what is not right: %#", async (options, message) => {
    const { messages: given = messages, ...more } = options as { messages?: readonly ChatMessage[] };
    await expect((async () => model.chat(given, { ...base, ...more }).answer())()).rejects.toThrow(message);
  });
});
