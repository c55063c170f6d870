/** The AI SDK and curl as clients, and the blocks of docs/server.md for callers. test/server/chat.test.ts has OpenAI's own client. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, generateText, jsonSchema, Output, streamText, tool } from "ai";
import { transformSync } from "esbuild";
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { needing, program } from "../needs.js";
import { open, type Opened } from "./open.js";

/** Writes calls as Hermes does. The demo model is no instruct model: it only goes on with the text. */
const TEMPLATE = `{% if tools %}<tools>{% for tool in tools %}{{ tool.function.name }} {% endfor %}</tools>
{% endif %}{% for m in messages %}{{ m.role }}: {% if m.tool_calls %}{% for call in m.tool_calls %}<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>{% endfor %}{% else %}{{ m.content }}{% endif %}
{% endfor %}{% if add_generation_prompt %}assistant: {% endif %}`;

const run = promisify(execFile);

let server: Opened;
beforeAll(async () => {
  server = await open({ template: TEMPLATE, sequences: 2, alias: "MODEL" });
});
afterAll(() => server.close(0));

describe("the AI SDK", () => {
  const model = () =>
    createOpenAICompatible({
      name: "ggsl",
      baseURL: `${server.url}/v1`,
      supportsStructuredOutputs: true,
      includeUsage: true,
    })("MODEL");
  const base = { prompt: "And God said", seed: 1, maxOutputTokens: 12, maxRetries: 0 };
  interface Verse {
    readonly book: string;
    readonly verse: number;
  }
  const verse = jsonSchema<Verse>({
    type: "object",
    required: ["book", "verse"],
    additionalProperties: false,
    properties: { book: { enum: ["Genesis", "Exodus"] }, verse: { type: "integer", minimum: 1, maximum: 50 } },
  });

  test("a text, and the same as a stream", async () => {
    const whole = await generateText({ ...base, model: model() });
    expect(whole.finishReason).toBe("length");
    expect(whole.usage.outputTokens).toBe(12);
    const stream = streamText({ ...base, model: model() });
    const parts: string[] = [];
    for await (const part of stream.textStream) parts.push(part);
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.join("")).toBe(whole.text);
    expect(whole.text).not.toBe("");
    expect((await stream.usage).outputTokens).toBe(12);
  });

  test("a conversation with a system message", async () => {
    const messages = [
      { role: "user" as const, content: "Who speaks?" },
      { role: "assistant" as const, content: "The LORD" },
      { role: "user" as const, content: [{ type: "text" as const, text: "And what?" }] },
    ];
    const { maxOutputTokens, seed } = base;
    const { usage } = await generateText({ maxOutputTokens, seed, system: "Speak", messages, model: model() });
    expect(usage.inputTokens).toBeGreaterThan(20);
  });

  test("a tool that must be called, whose result the next request has", async () => {
    const found: Verse[] = [];
    const find = tool({
      description: "Finds a verse",
      inputSchema: verse,
      execute(place) {
        found.push(place);
        return Promise.resolve("Let there be light");
      },
    });
    const options = { ...base, maxOutputTokens: 80, tools: { find }, toolChoice: "required" as const };
    const { toolCalls, response, finishReason, usage } = await generateText({ ...options, model: model() });
    expect(finishReason).toBe("tool-calls");
    expect(toolCalls).toMatchObject([{ toolName: "find" }]);
    expect(["Genesis", "Exodus"]).toContain(found[0]!.book);
    const messages = [{ role: "user" as const, content: base.prompt }, ...response.messages];
    const { maxOutputTokens, seed } = base;
    const answer = await generateText({ maxOutputTokens, seed, messages, model: model() });
    // with the call and its result, whatever the demo model says to them
    expect(answer.finishReason).toMatch(/^(?:stop|length)$/);
    expect(answer.usage.inputTokens).toBeGreaterThan(usage.inputTokens! + 20);
    const stream = streamText({ ...options, model: model() });
    expect(await stream.toolCalls).toMatchObject([{ toolName: "find", input: found[0] }]);
  });

  test("an object that obeys a JSON schema", async () => {
    const options = { ...base, maxOutputTokens: 60, output: Output.object({ schema: verse, name: "verse" }) };
    const { output } = await generateText({ ...options, model: model() });
    expect(Object.keys(output)).toEqual(["book", "verse"]);
    expect(output.verse).toBeLessThanOrEqual(50);
  });

  test("a sampler of the request, and its errors", async () => {
    const { prompt, maxOutputTokens, maxRetries } = base;
    const options = { prompt, maxOutputTokens, maxRetries };
    const write = async (sampler: string): Promise<string> =>
      (await generateText({ ...options, model: model(), providerOptions: { ggsl: { sampler } } })).text;
    expect(await write("top_k(1) |> dist()")).toBe(await write("greedy()"));
    const error: unknown = await write("gredy()").catch((reason: unknown) => reason);
    expect(APICallError.isInstance(error) && error.statusCode).toBe(400);
    expect((error as Error).message).toContain("did you mean `greedy`?");
  });

  test("a client that aborts gives its place back", async () => {
    const abort = new AbortController();
    const options = { ...base, maxOutputTokens: 200, abortSignal: abort.signal };
    const stream = streamText({ ...options, model: model(), providerOptions: { ggsl: { ignore_eos: true } } });
    const kinds: string[] = [];
    for await (const part of stream.fullStream) {
      kinds.push(part.type);
      if (part.type === "text-delta") abort.abort();
    }
    expect(kinds.at(-1)).toBe("abort");
    // both places are free
    const texts = await Promise.all([1, 2].map(() => generateText({ ...base, model: model() })));
    expect(texts.map(({ usage }) => usage.outputTokens)).toEqual([12, 12]);
    expect(await server.get("/metrics")).toMatch(/^ggsl_running_texts 0$/m);
  });
});

describe("docs/server.md", () => {
  const ADDRESS = "http://127.0.0.1:8080";
  const page = readFileSync("docs/server.md", "utf8");
  const blocksOf = (kind: string): string[] =>
    [...page.matchAll(/^```([^\n]*)\n([^]*?)^```$/gm)].filter(([, name]) => name === kind).map(([, , text]) => text!);
  const here = (text: string): string => text.replaceAll(ADDRESS, server.url);
  const folder = join("build", "docs-clients");
  beforeAll(() => void mkdirSync(folder, { recursive: true }));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const CURLS = blocksOf("sh").flatMap((text) =>
    text
      .replaceAll("\\\n", " ")
      .split(/\n(?=\S)/)
      .filter((line) => line.startsWith("curl ")),
  );
  needing(program(["curl"])).test("each curl command gets an answer", async () => {
    expect(CURLS.length).toBeGreaterThanOrEqual(4);
    for (const line of CURLS) {
      expect(line).toContain(ADDRESS);
      const { stdout } = await run("bash", [
        "-c",
        here(line).replace(/^curl /, "curl --silent --show-error --fail-with-body "),
      ]);
      const text = stdout.startsWith("data: ") ? stdout.split("\n")[0]!.slice("data: ".length) : stdout;
      expect(JSON.parse(text)).not.toHaveProperty("error");
    }
  });

  const SCRIPTS = blocksOf("ts client");
  test.each(SCRIPTS.map((text, i) => [/from "([^"]+)"/.exec(text)![1]!, i] as const))("%s runs", async (name, i) => {
    const text = SCRIPTS[i]!;
    expect(text).toContain(ADDRESS);
    const { code } = transformSync(here(text), { loader: "ts", target: "es2022", format: "esm" });
    const file = join(folder, `${i}.mjs`);
    writeFileSync(file, code);
    const { stdout, stderr } = await run(process.execPath, [file]);
    expect({ name, stderr, isEmpty: stdout.trim() === "" }).toEqual({ name, stderr: "", isEmpty: false });
  });
  test("there are blocks of both clients", () => {
    expect(SCRIPTS.map((text) => /from "([^"]+)"/.exec(text)![1])).toEqual(["openai", "@ai-sdk/openai-compatible"]);
  });
});
