/** Conversations that are rendered on other threads: the same texts and errors, lanes that take turns, threads that end. */
import { describe, expect, test } from "@jest/globals";
import { loadJinja } from "../../runtime/chat/jinja.js";
import { Budget, CHAT_THREADS } from "../../runtime/chat/limits.js";
import type { ChatMessage } from "../../runtime/chat/messages.js";
import { openConversation, renderConversation, taskOf, type ChatOptions } from "../../runtime/chat/render.js";
import { renderTask, type RenderTask } from "../../runtime/chat/task.js";
import { Rendering, sharedRendering } from "../../runtime/chat/threads/rendering.js";
import type { Started } from "../../runtime/core/threads.js";
import { CASES, modelWith, sourceOf, TEMPLATES } from "./templates.js";

const HELLO: readonly ChatMessage[] = [{ role: "user", content: "Hello <s>" }];
const PLAIN = "{% for m in messages %}<s>{{ m.role }}: {{ m.content }}</s>\n{% endfor %}";

const task = (source: string, messages: readonly ChatMessage[] = HELLO, options: ChatOptions = {}): RenderTask =>
  taskOf(modelWith(source), openConversation(messages, options));

/** What a rendering gives, or the code and the message of its error. */
const outcome = async (render: () => unknown): Promise<unknown> => {
  try {
    return await render();
  } catch (error) {
    const { name, code, message } = error as Error & { readonly code?: unknown };
    return { name, code, message };
  }
};

const here = async (one: RenderTask): Promise<unknown> => {
  const jinja = await loadJinja();
  return outcome(() => renderTask(jinja, one, new Budget()));
};
const there = (one: RenderTask): Promise<unknown> => outcome(() => sharedRendering().render(one, { lane: "there" }));

test("all templates give the same text and parts on both", async () => {
  const variables = { enable_thinking: true };
  for (const template of TEMPLATES)
    for (const { messages, tools } of CASES) {
      const one = task(sourceOf(template), messages, { tools, variables });
      expect([template, await there(one)]).toEqual([template, await here(one)]);
    }
});

test.each([
  ["a refusal", "a\n{{ raise_exception('Only user roles: ' ~ messages[0].role) }}"],
  ["a fault", "{% if true %}\n\n{{ 'a'|sparkle }}\n{% endif %}"],
  ["no template", "a {% if %}"],
  ["too many steps", "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}"],
  [
    "a text that grows",
    "{% set ns = namespace(t='ab') %}{% for i in range(40) %}{% set ns.t = ns.t ~ ns.t %}{% endfor %}",
  ],
  ["a macro that calls itself", "{% macro f(n) %}{{ f(n) }}{% endmacro %}\n{{ f(1) }}"],
  ["a list in itself", "{% set l = [] %}{% set _ = l.append(l) %}{{ l }}"],
  ["arguments that are no JSON", "{% for m in messages %}{{ m.content }}{{ m.tool_calls|tojson }}{% endfor %}"],
])("%s is the same error, at the same place", async (name, source) => {
  const call = { role: "assistant", tool_calls: [{ function: { name: "f", arguments: "{" } }] };
  const one = task(source, name.startsWith("arguments") ? [...HELLO, call] : HELLO);
  const expected = await here(one);
  expect(expected).toMatchObject({ name: "InputError", code: expect.any(String) });
  expect(await there(one)).toEqual(expected);
  expect(
    await outcome(() =>
      renderConversation(modelWith(source), openConversation(JSON.parse(one.messages) as ChatMessage[], {})),
    ),
  ).toEqual(expected);
});

test("a template whose form takes long is rendered elsewhere, with the same text", async () => {
  const slow = `{% for i in range(2000) %}{% endfor %}${PLAIN}`;
  const expected = await here(task(slow));
  const render = () => renderConversation(modelWith(slow), openConversation(HELLO, {}));
  expect(await render()).toEqual(expected);
  expect(await render()).toEqual(expected);
});

/** Of so many messages. */
const long = (count: number): ChatMessage[] =>
  Array.from({ length: count }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: `message ${i} <s>` }));
/** All steps that a template may take, and more. */
const HOSTILE = "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}";

describe("lanes", () => {
  const rendering = new Rendering();
  const order: string[] = [];
  const render = async (
    lane: string,
    source: string,
    messages: readonly ChatMessage[] = HELLO,
    signal?: AbortSignal,
  ) => {
    const result = await outcome(() => rendering.render(task(source, messages), { lane, signal }));
    order.push(lane);
    return result;
  };

  test("eight with conversations that take all steps delay an honest one by a try each", async () => {
    await render("warm", PLAIN);
    order.length = 0;
    const hostile = Array.from({ length: 24 }, (_, i) => render(`hostile ${i % 8}`, `${HOSTILE}{# ${i} #}`));
    const honest = await render("honest", PLAIN, long(1000));
    expect(honest).toMatchObject({ text: expect.stringContaining("message 999 <s>") });
    // the tries of the others take a quarter of what one of them takes at most
    expect(order.filter((lane) => lane !== "honest").length).toBeLessThanOrEqual(3);
    // those lanes are late now: they wait for the other thread, and the honest ones do not
    const again = await render("honest", PLAIN, long(1000));
    expect(again).toEqual(honest);
    for (const result of await Promise.all(hostile)) expect(result).toMatchObject({ code: "LIMIT_EXCEEDED" });
  });

  test("one that is aborted leaves, while it waits and while it runs", async () => {
    const [running, waiting] = [new AbortController(), new AbortController()];
    const both = [running, waiting].map(({ signal }) => render("hostile 0", HOSTILE, HELLO, signal));
    waiting.abort(new RangeError("enough"));
    expect(await both[1]).toMatchObject({ message: "enough" });
    running.abort();
    expect(await both[0]).toMatchObject({ name: "AbortError" });
    expect(await render("hostile 0", PLAIN)).toMatchObject({ text: "<s>user: Hello <s></s>\n" });
    expect(await render("hostile 0", PLAIN, HELLO, waiting.signal)).toMatchObject({ message: "enough" });
  });
});

/** What holds the thread of all tries, to end it as a fault in it would. */
interface Holder {
  readonly tries: { readonly thread: { readonly started: Started } };
}

test("a thread that is killed is an error of its conversation, and a new one is there for the next", async () => {
  const rendering = new Rendering();
  const at = { lane: "a" };
  await rendering.render(task(PLAIN), at);
  const killed = outcome(() => rendering.render(task(HOSTILE), at));
  const next = outcome(() => rendering.render(task(PLAIN), { lane: "b" }));
  await (rendering as unknown as Holder).tries.thread.started.worker.terminate();
  expect(await killed).toMatchObject({
    name: "InputError",
    code: "ENGINE_FAILED",
    message: expect.stringContaining("the thread that renders conversations ended"),
  });
  expect(await next).toMatchObject({ text: "<s>user: Hello <s></s>\n", letters: [15] });
});

test("this thread is not held by a long conversation", async () => {
  const messages = long(6000);
  const model = modelWith(PLAIN);
  await renderConversation(model, openConversation(HELLO, {}));
  const conversation = openConversation(messages, {});
  const begin = performance.now();
  let [longest, last] = [0, begin];
  const clock = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 5);
  const { text } = await renderConversation(model, conversation);
  clearInterval(clock);
  longest = Math.max(longest, performance.now() - last);
  expect(text.split("\n")).toHaveLength(6001);
  expect(longest / (last - begin)).toBeLessThan(0.5);
  expect(CHAT_THREADS.hereSteps).toBeLessThan(CHAT_THREADS.trySteps);
});
