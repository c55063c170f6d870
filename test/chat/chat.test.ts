/** Conversations and special tokens with the demo model, to whose file a chat template was added. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MessageChannel } from "node:worker_threads";
import { compilePipeline } from "../../runtime/chain/chain.js";
import type { ChatMessage } from "../../runtime/chat/messages.js";
import { InputError } from "../../runtime/core/errors.js";
import type { Generation } from "../../runtime/generation/generate.js";
import { loadModel, loadModelFromBytes, type Model } from "../../runtime/models/model.js";
import { ModelWorker } from "../../runtime/models/thread/client.js";
import type { WebPort } from "../../runtime/core/requests.js";
import { serve } from "../../runtime/models/thread/serve.js";
import { DEMO_MODEL, EXACT } from "../model/file.js";
import { writeChatModel } from "./model.js";
import { needing } from "../needs.js";
import { LLAMA_MODULE } from "../wasm/llamaTest.js";
import { llamaModulePath } from "../../runtime/core/root.js";

let folder: string;
let path: string;
let model: Model;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-chat-"));
  path = writeChatModel(folder);
  model = await loadModel(path, { backend: "cpu", contextSize: 1024 });
});
afterAll(() => {
  model.dispose();
  rmSync(folder, { recursive: true });
});

const chain = compilePipeline("greedy()");
const HELLO: readonly ChatMessage[] = [{ role: "user", content: "And God said" }];

const textOf = async (generation: AsyncIterable<{ readonly text: string }>): Promise<string> => {
  let text = "";
  for await (const piece of generation) text += piece.text;
  return text;
};
const codeOf = async (generate: () => AsyncIterable<unknown>): Promise<string> => {
  try {
    for await (const _ of generate());
    return "none";
  } catch (error) {
    expect(error).toBeInstanceOf(InputError);
    return (error as InputError).code;
  }
};

describe("special tokens", () => {
  test("are added around a text unless `addSpecial` is false", async () => {
    const [text, { bos }] = ["And God said", model.info];
    const whole = await model.tokenizeLater(text);
    const plain = await model.tokenizeLater(text, { addSpecial: false });
    expect([...whole]).toEqual([bos, ...plain]);
    // as llama.cpp reads the text of a special token
    const both = `${model.textOf(bos)}${text}`;
    expect([...(await model.tokenizeLater(both, { addSpecial: false, special: true }))]).toEqual([...whole]);
    expect(await model.tokenizeLater("", { addSpecial: false })).toHaveLength(0);
  });

  test("are read as such when asked for, and the first is not doubled", () => {
    const { bos, eos, addsBos } = model.info;
    const [begin, end] = [model.textOf(bos), model.textOf(eos)];
    // the first token may be the same
    expect([...model.tokenize(`a${end}`)].slice(1)).not.toContain(eos);
    expect([...model.tokenize(`a${end}`, { special: true })].slice(1)).toContain(eos);
    const count = (tokens: Int32Array): number => tokens.filter((token) => token === bos).length;
    expect(addsBos).toBe(true);
    expect(count(model.tokenize("a", { special: true }))).toBe(1);
    expect(count(model.tokenize(`${begin}a`, { special: true }))).toBe(1);
    expect([...model.tokenize(`${begin}a`, { special: true })]).toEqual([...model.tokenize("a")]);
    expect(() => model.tokenize("a", { special: 1 as unknown as boolean })).toThrow("`special` must be true or false");
  });

  test("in prompts", async () => {
    const begin = model.textOf(model.info.bos);
    const first = async (prompt: string, special: boolean): Promise<number> => {
      const generation = model.generate(prompt, { chain, maxTokens: 1, special });
      await textOf(generation);
      return generation.stats().promptTokens;
    };
    expect(await first(`${begin}In the beginning`, true)).toBe(await first("In the beginning", false));
    expect(await first(`${begin}In the beginning`, false)).toBeGreaterThan(await first("In the beginning", false));
    const logits = await model.logits(`${begin}In the beginning`, { special: true });
    expect(logits).toEqual(await model.logits("In the beginning"));
  });
});

describe("chats", () => {
  test("the prompt is the rendered conversation, in a batch too", async () => {
    const text = await model.renderChat(HELLO);
    expect(text).toBe(`${model.textOf(model.info.bos)}And God said\n`);
    const expected = await textOf(model.generate(text, { chain, maxTokens: 12, special: true }));
    expect(await textOf(model.chat(HELLO, { chain, maxTokens: 12 }))).toBe(expected);
    using batch = model.batch({ sequences: 1, contextSize: 256 });
    expect(await textOf(batch.chat(HELLO, { chain, maxTokens: 12 }))).toBe(expected);
  });

  test("a second turn of a long conversation computes only what is new", async () => {
    const long = "In the beginning God created the heaven and the earth. ".repeat(60);
    const first: ChatMessage[] = [{ role: "user", content: long }];
    const settings = { chain, maxTokens: 8 } as const;
    // the beginning of the prompt is computed in other batches than by the model that knows it
    using exact = await loadModel(writeChatModel(folder, undefined, true), {
      backend: "cpu",
      contextSize: 2048,
      ...EXACT,
    });
    const one = exact.chat(first, settings);
    const answer = await textOf(one);
    const { promptTokens } = one.stats();
    expect(promptTokens).toBeGreaterThan(700);
    const turns = [...first, { role: "assistant", content: answer }, { role: "user", content: "And the earth" }];
    const two = exact.chat(turns, settings);
    const text = await textOf(two);
    const stats = two.stats();
    expect(stats.promptTokens).toBeGreaterThan(promptTokens);
    expect(stats.computedPromptTokens).toBeLessThan(40);
    // the same text as without the first turn
    const prompt = await exact.renderChat(turns);
    expect(text).toBe(await textOf(exact.generate(prompt, { ...settings, special: true })));
  });

  test("a chat while another one is read, and one that is left early", async () => {
    const reader = model.chat(HELLO, { chain, maxTokens: 6 })[Symbol.asyncIterator]();
    const { value } = (await reader.next()) as { value: { text: string } };
    const other = await textOf(model.chat(HELLO, { chain, maxTokens: 6 }));
    let text = value.text;
    for (let next = await reader.next(); !next.done; next = await reader.next()) text += next.value.text;
    expect(text).toBe(other);
    for await (const _ of model.chat(HELLO, { chain })) break;
    expect(await textOf(model.chat(HELLO, { chain, maxTokens: 6 }))).toBe(other);
  });

  test("errors leave the model usable", async () => {
    const text = await textOf(model.chat(HELLO, { chain, maxTokens: 3 }));
    const chat = (messages: unknown, options = {}): Generation =>
      model.chat(messages as ChatMessage[], { chain, maxTokens: 3, ...options });
    expect(await codeOf(() => chat([{ content: "a" }]))).toBe("INVALID_ARGUMENT");
    expect(await codeOf(() => chat([{ role: "wizard", content: "a" }]))).toBe("TEMPLATE_REFUSED");
    expect(await codeOf(() => chat(HELLO, { template: "{% if %}" }))).toBe("INVALID_TEMPLATE");
    expect(await codeOf(() => chat(HELLO, { template: "{{ range(10 ** 9) }}" }))).toBe("LIMIT_EXCEEDED");
    expect(await codeOf(() => chat(HELLO, { template: "{{ 1|sparkle }}" }))).toBe("TEMPLATE_FAILED");
    expect(await codeOf(() => chat(HELLO, { tools: [{}] }))).toBe("INVALID_ARGUMENT");
    const long = [{ role: "user", content: "And God said ".repeat(500) }];
    expect(await codeOf(() => chat(long, { contextSize: 256 }))).toBe("CONTEXT_FULL");
    expect(await codeOf(() => chat(HELLO, { placement: "moon" }))).toBe("INVALID_ARGUMENT");
    expect(await textOf(chat(HELLO))).toBe(text);
  });

  test("who aborts does not wait for a long conversation", async () => {
    const long = Array.from({ length: 4000 }, (_, i) => ({
      role: i % 2 ? "assistant" : "user",
      content: `Verse ${i}`,
    }));
    const abort = new AbortController();
    const rendering = model.renderChat(long, { lane: "a", signal: abort.signal });
    const other = model.renderChat(long, { lane: "b" });
    abort.abort();
    await expect(rendering).rejects.toMatchObject({ name: "AbortError" });
    expect(await other).toContain("Verse 3999");
  });

  test("a model without a template", async () => {
    using plain = await loadModel(DEMO_MODEL, { backend: "cpu", contextSize: 64 });
    expect(await codeOf(() => plain.chat(HELLO, { chain }))).toBe("NO_TEMPLATE");
    await expect(plain.renderChat(HELLO)).rejects.toThrow("give one with `template`");
    expect(await plain.renderChat(HELLO, { template: "{{ messages[0].content }}" })).toBe("And God said");
  });
});

needing(LLAMA_MODULE).describe("in WebAssembly", () => {
  test("the same conversation, directly and in a worker", async () => {
    const bytes = readFileSync(path);
    using wasm = await loadModelFromBytes(bytes, { contextSize: 128 });
    const expected = await textOf(wasm.chat(HELLO, { chain, maxTokens: 5 }));
    expect(expected).not.toBe("");
    expect(await wasm.renderChat(HELLO)).toBe(await model.renderChat(HELLO));
    const { port1, port2 } = new MessageChannel();
    const portOf = (port: typeof port1): WebPort => ({
      postMessage: (message) => port.postMessage(message),
      set onmessage(listener: WebPort["onmessage"]) {
        port.on("message", (data: unknown) => listener?.({ data }));
      },
    });
    serve(portOf(port2));
    const worker = new ModelWorker(portOf(port1));
    await worker.load(bytes, readFileSync(llamaModulePath()));
    const settings = { chain, maxTokens: 5, contextSize: 128 };
    expect(await textOf(worker.chat(HELLO, settings))).toBe(expected);
    await expect(textOf(worker.chat([{ role: "wizard", content: "a" }], settings))).rejects.toMatchObject({
      code: "TEMPLATE_REFUSED",
    });
    port1.close();
  });
});
