/** Rendering of conversations: messages, templates that fail, and templates of strangers. */
import { describe, expect, test } from "@jest/globals";
import { InputError } from "../../runtime/core/errors.js";
import type { ChatMessage } from "../../runtime/chat/messages.js";
import { openConversation, renderConversation, type ChatOptions } from "../../runtime/chat/render.js";
import { strftime } from "../../runtime/chat/strftime.js";
import { modelWith, TOOLS } from "./templates.js";

const HELLO: readonly ChatMessage[] = [{ role: "user", content: "Hello" }];

const render = async (
  template: string | undefined,
  messages: readonly unknown[] = HELLO,
  options: ChatOptions = {},
  named: Readonly<Record<string, string>> = {},
): Promise<string> =>
  (await renderConversation(modelWith(template, named), openConversation(messages as readonly ChatMessage[], options)))
    .text;

const failureOf = async (...args: Parameters<typeof render>): Promise<{ code: string; message: string }> => {
  try {
    return { code: "none", message: await render(...args) };
  } catch (error) {
    expect(error).toBeInstanceOf(InputError);
    const { code, message } = error as InputError;
    return { code, message };
  }
};

describe("templates", () => {
  test("tools choose the template tool_use; a name chooses any", async () => {
    const named = { tool_use: "with tools{{ tools|length }}", rag: "rag" };
    expect(await render("{{ tools is none }}", HELLO, {}, named)).toBe("True");
    expect(await render("plain", HELLO, { tools: TOOLS }, named)).toBe("with tools2");
    expect(await render("plain{{ 1 }}", HELLO, { tools: TOOLS, template: "default" }, named)).toBe("plain1");
    expect(await render(undefined, HELLO, { template: "rag" }, named)).toBe("rag");
    expect(await render("plain", HELLO, { template: "{{ messages[0].role }}" })).toBe("user");
  });

  test("variables, and the texts of special tokens", async () => {
    const source = "{{ bos_token }}{{ eos_token }}{{ enable_thinking }}{{ add_generation_prompt }}";
    const options = { variables: { enable_thinking: false }, addGenerationPrompt: false };
    expect(await render(source, HELLO, options)).toBe("<s></s>FalseFalse");
    const { code, message } = await failureOf(source, HELLO, { variables: { messages: [] } });
    expect(code).toBe("INVALID_ARGUMENT");
    expect(message).toContain("`variables.messages`");
  });

  test.each([
    ["{{ '%s-%s'|length }} {{ '{} {0} {a}'.format('x', a='y') }}", "5 x x y"],
    ["{% set l = [3, 1] %}{% set _ = l.append(2) %}{{ l|min }}{{ l|max }}{{ l.pop(0) }}{{ l|length }}", "1332"],
    ["{% for k, v in {1: 'a', 0: 'b'}|dictsort %}{{ k }}{{ v }}{% endfor %}", "0b1a"],
    ["{% for a, b in [(1, 2)] %}{{ a }}{{ b }}{% endfor %}", "12"],
    ["{% for t in tools %}x{% else %}none{% endfor %}", "none"],
    ["{{ {'items': 1}.items()|length }}{{ {'a': \"it's\"} }}", "1{'a': \"it's\"}"],
    ["{{ 'ab' * 2 }}{{ 'a' ~ undefined_name ~ 1 }}{{ [true, none]|string }}", "ababa1[True, None]"],
    ["{% filter upper %}{{ messages[0].content }}{% endfilter %}", "HELLO"],
    ["{% for x in range(10, 0, -4) %}{{ x }} {% endfor %}", "10 6 2 "],
  ])("%s", async (source, expected) => {
    expect(await render(source)).toBe(expected);
  });

  test("dates are those of the locale C", () => {
    const date = new Date(2026, 0, 5, 15, 4, 9);
    expect(strftime(date, "%d %B %Y, %a %-d %b %y %H:%M:%S %I%p %j %% %Q")).toBe(
      "05 January 2026, Mon 5 Jan 26 15:04:09 03PM 005 % %Q",
    );
  });
});

describe("messages", () => {
  test("arguments and content in the form that the template reads", async () => {
    const call = (args: unknown): unknown[] => [
      ...HELLO,
      { role: "assistant", tool_calls: [{ function: { name: "f", arguments: args } }] },
    ];
    const asObject =
      "{% for m in messages %}{{ m.content }}{% for c in m.tool_calls %}{{ c.function.arguments|tojson }}{% endfor %}{% endfor %}";
    expect(await render(asObject, call('{"a": 1}'))).toBe('Hello{"a": 1}');
    expect(await render(asObject, call({ a: 1 }))).toBe('Hello{"a": 1}');
    const asText =
      "{% for m in messages %}{{ m.content }}{% for c in m.tool_calls %}{{ '' + c.function.arguments }}{% endfor %}{% endfor %}";
    expect(await render(asText, call({ a: 1 }))).toBe('Hello{"a":1}');
    const parts = [
      {
        role: "user",
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
    ];
    expect(await render("{{ messages[0].content + '!' }}", parts)).toBe("a\nb!");
    const onlyParts = "{% for m in messages %}{% for p in m.content %}{{ p.text }}|{% endfor %}{% endfor %}";
    expect(await render(onlyParts)).toBe("Hello|");
    expect(await render(onlyParts, parts)).toBe("a|b|");
  });

  test("a system message that the template does not show comes before the next one", async () => {
    const source = "{% for m in messages %}{% if m.role == 'user' %}{{ m.content }}{% endif %}{% endfor %}";
    expect(await render(source, [{ role: "system", content: "Be kind." }, ...HELLO])).toBe("Be kind.\nHello");
  });

  test.each([
    ["no list", { role: "user" }, "`messages` must be a list of messages"],
    ["no message", [], "at least one message"],
    ["no role", [{ content: "a" }], "`messages[0].role` must be the name of a role"],
    ["an empty role", [...HELLO, { role: "", content: "a" }], "`messages[1].role`"],
    ["no content", [{ role: "user" }], "`messages[0].content` must be a text"],
    ["a number", [{ role: "user", content: 3 }], "`messages[0].content` must be a text"],
    ["an image", [{ role: "user", content: [{ type: "image_url", image_url: "x" }] }], "a list of parts"],
    ["calls without names", [{ role: "assistant", tool_calls: [{ function: {} }] }], "tool_calls[0].function.name"],
    [
      "arguments that are no JSON",
      [{ role: "assistant", tool_calls: [{ function: { name: "f", arguments: "{" } }] }],
      "JSON text",
    ],
  ])("%s", async (_, messages, expected) => {
    const source = "{% for m in messages %}{{ m.content }}{{ m.tool_calls|tojson }}{% endfor %}";
    const { code, message } = await failureOf(source, messages as unknown[]);
    expect(code).toBe("INVALID_ARGUMENT");
    expect(message).toContain(expected);
  });

  test("a conversation is plain data", async () => {
    const circular: Record<string, unknown> = { role: "user", content: "a" };
    circular["self"] = circular;
    expect((await failureOf("a", [circular])).code).toBe("INVALID_ARGUMENT");
    let calls = 0;
    const message = { role: "user", content: "a", call: () => calls++ };
    expect((await failureOf("{{ messages[0].call() }}", [message])).code).toBe("TEMPLATE_FAILED");
    expect(calls).toBe(0);
  });
});

describe("templates that fail", () => {
  test.each([
    ["none", undefined, "NO_TEMPLATE", "no chat template"],
    [
      "a role that it refuses",
      "a\n{{ raise_exception('Only user roles: ' ~ messages[0].role) }}",
      "TEMPLATE_REFUSED",
      "line 2, `{{ raise_exception('Only user roles: ' ~ messages[0].role) }}`: Only user roles: user",
    ],
    [
      "a filter that does not exist",
      "{% if true %}\n\n{{ 'a'|sparkle }}\n{% endif %}",
      "TEMPLATE_FAILED",
      "line 3, `{{ 'a'|sparkle }}`",
    ],
    [
      "an operation inside a branch",
      "{% if false %}\n{% elif true %}\n{# {{ #}{% for x in [1] %}\n{{ '}}' }}{{ x + none }}{% endfor %}{% endif %}",
      "TEMPLATE_FAILED",
      "line 4, `{{ x + none }}`",
    ],
    ["a tag that is not known", "a\n{% frobnicate %}", "INVALID_TEMPLATE", "line 2, `{% frobnicate %}`"],
    ["a tag that is not closed", "{{ 'a' }}\n{% if true %}\nb", "INVALID_TEMPLATE", "line 2"],
    ["a text that is not closed", "{{ 1 }}\n{{ 'a }}\n{{ 2 }}", "INVALID_TEMPLATE", "line 2"],
    ["a character that is not Jinja", "{{ 1 }}\n\n{{ a ? b }}{{ 3 }}", "INVALID_TEMPLATE", "line 3, `{{ a ? b }}`"],
  ])("%s", async (_, source, code, text) => {
    const failure = await failureOf(source);
    expect(failure).toMatchObject({ code });
    expect(failure.message).toContain(text);
  });

  test("a given template that is neither Jinja nor a name", async () => {
    const { code, message } = await failureOf("a", HELLO, { template: "chatml" }, { tool_use: "b" });
    expect(code).toBe("INVALID_TEMPLATE");
    expect(message).toContain('found "chatml": its templates are tool_use');
  });
});

describe("templates of strangers end soon", () => {
  const big =
    "{% set ns = namespace(a='xxxxxxxxxxxxxxxx') %}{% for i in range(60) %}{% set ns.a = ns.a + ns.a %}{% endfor %}";
  const long = "{% set ns = namespace(a='x') %}{% for i in range(21) %}{% set ns.a = ns.a + ns.a %}{% endfor %}";
  const nested = "{% set ns = namespace(a=[1, 1]) %}{% for i in range(60) %}{% set ns.a = [ns.a, ns.a] %}{% endfor %}";
  test.each([
    ["a long range", "{{ range(10 ** 9)|length }}"],
    ["nested loops", `${"{% for a in range(1000) %}".repeat(5)}${"{% endfor %}".repeat(5)}`],
    ["doubled texts", big],
    [
      "doubled lists",
      "{% set ns = namespace(a=[1]) %}{% for i in range(60) %}{% set ns.a = ns.a + ns.a %}{% endfor %}",
    ],
    ["shared lists, written", `${nested}{{ ns.a }}`],
    ["shared lists, as JSON", `${nested}{{ ns.a|tojson }}`],
    ["shared lists, joined", `${nested}{{ ns.a|join }}`],
    ["shared lists, compared with a text", `${nested}{{ ns.a == 'x' }}`],
    ["shared lists, formatted", `${nested}{{ '{}'.format(ns.a) }}`],
    ["a list in itself", "{% set l = [1] %}{% set _ = l.append(l) %}{{ l }}"],
    ["an object in itself", "{% set ns = namespace() %}{% set ns.a = ns %}{{ ns|tojson }}"],
    ["a macro that calls itself", "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}"],
    ["replacements", `${long}{{ ns.a|replace('x', ns.a)|length }}`],
    ["replacements of nothing", `${long}{{ ns.a.replace('', ns.a)|length }}`],
    ["repeated texts", `${long}{{ ns.a * 1000 }}`],
    ["joined texts", `${long}{{ range(1000)|join(ns.a) }}`],
    ["wide indentation", `{{ 'a\\nb'|indent(10 ** 9) }}`],
    ["wide JSON", "{{ messages|tojson(indent=10 ** 8) }}"],
    ["many pieces", `${long}{{ ns.a.split('x')|length }}`],
    ["much work", `${long}{% for i in range(100000) %}{% if 'y' in ns.a %}{% endif %}{% endfor %}`],
    ["deep expressions", `{{ ${"(".repeat(20_000)}1${")".repeat(20_000)} }}`],
    ["a long template", "a".repeat(2 ** 18 + 1)],
    ["much whitespace", `a${" ".repeat(5000)}b`],
  ])("%s", async (_, source) => {
    const start = process.cpuUsage();
    const { code } = await failureOf(source);
    const { user, system } = process.cpuUsage(start);
    expect(["LIMIT_EXCEEDED", "INVALID_TEMPLATE"]).toContain(code);
    // microseconds: the limits allow two seconds on a usual machine, without them it is minutes
    expect(user + system).toBeLessThan(40e6);
  });

  test("long conversations are within the limits", async () => {
    const source =
      "{% for m in messages %}<|{{ m.role }}|>{{ m.content|trim }}{% if loop.last %}.{% endif %}\n{% endfor %}";
    const messages = Array.from({ length: 2000 }, (_, i) => ({
      role: i % 2 ? "assistant" : "user",
      content: "word ".repeat(200),
    }));
    expect((await render(source, messages)).length).toBeGreaterThan(2e6);
    expect((await failureOf(source, [{ role: "user", content: "x".repeat(2 ** 22) }])).code).toBe("LIMIT_EXCEEDED");
  });
});
