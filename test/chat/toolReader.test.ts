/** Content beside calls, read piece by piece. */
import { describe, expect, test } from "@jest/globals";
import type { Tool } from "../../runtime/chat/messages.js";
import { JSON_ARGUMENTS } from "ggsl/chat/calls/arguments.js";
import type { CallForm } from "ggsl/chat/calls/form.js";
import { objectItem } from "ggsl/chat/calls/object.js";
import { withoutMarks } from "ggsl/chat/calls/controls.js";
import { ToolReader } from "ggsl/chat/calls/reader.js";
import { segmentsItem } from "ggsl/chat/calls/segments.js";
import { readWhole } from "./answers.js";

const CALL = "<call>find {}</call>";
const form: CallForm = {
  lead: "\n",
  mark: "<call>",
  head: "<call>",
  item: segmentsItem([{ hole: "name" }, " ", { hole: "arguments" }], JSON_ARGUMENTS),
  between: "</call>\n<call>",
  close: "</call>",
  marks: new Map(),
  beside: [],
};
const tool: Tool = { type: "function", function: { name: "find" } };

/** What a text is read as, in pieces of some characters. */
function read(text: string, size: number, of = form): { content: string; calls: readonly string[] } {
  const { content, calls } = readWhole(new ToolReader(of, new Map([["find", tool]]), true), text, size);
  const shown = calls.map(({ function: called }, i) => `${i} ${called.name} ${called.arguments}`);
  return { content: withoutMarks(content), calls: shown };
}

describe.each([1, 3, 100])("in pieces of %i", (size) => {
  test.each([
    [` ${CALL}`, "", 1],
    [`\n\n${CALL}\n${CALL}\n `, "", 2],
    ["  \n", "  \n", 0],
    [" And God", " And God", 0],
    // a line break before a call is the template's, others are the model's
    [`I look.\n${CALL}`, "I look.", 1],
    [`I look.\n\n\n${CALL}`, "I look.\n\n", 1],
    [`I look. ${CALL}`, "I look. ", 1],
    [`First line.\n\n- one`, "First line.\n\n- one", 0],
    [`${CALL}\nFirst line.\n\n- one`, "\nFirst line.\n\n- one", 1],
    [`a ${CALL} b  c`, "a  b  c", 1],
    [`a${CALL}b\n${CALL}c`, "abc", 2],
    // blanks beside marks may be others
    ["<call> find\n{ }\n</call>\n\n<call>find{}</call>.", ".", 2],
    // without its end
    ["<call>find {}", "", 1],
    ["<call>find {}</ca", "", 1],
    ["<call>find {} and more", " and more", 1],
    // no calls
    [" <call>other {}</call>", " <call>other {}</call>", 0],
    ["<call>find {]", "<call>find {]", 0],
    ["<call>find ", "<call>find ", 0],
    ["<call>find { ", "<call>find { ", 0],
    ["<call>find {}</call><call>other {}</call>", "<call>other {}</call>", 1],
    [" <cal", " <cal", 0],
    ["a\n<call>find {", "a\n<call>find {", 0],
    // cut in its arguments
    ['a\n<call>find {"', "a", 1],
    ['a\n<call>find {"b": [1, "}', "a", 1],
  ])("%j", (text, content, calls) => {
    const found = read(text, size);
    expect([found.content, found.calls.length]).toEqual([content, calls]);
  });

  test("arguments are as they are written", () => {
    const args = '{ "a":1234567890123456789, "b": [1e400, 1.0,"}\\"" ],\n"a" : null}';
    expect(read(`<call>find ${args}</call>`, size).calls).toEqual([`0 find ${args}`]);
  });

  test("a list of objects, with other members beside", () => {
    const keys = { name: "name", arguments: "with", id: "id", others: ["name", "with", "id"] };
    const item = objectItem([], keys);
    const listed = { ...form, mark: "<call>", head: "<call>[", item, between: ", ", close: "]" };
    const text = 'x<call>[ {"with": {"a": 1.50}, "name": "find"},{"id": "1", "name": "find", "with": {}} ] y';
    expect(read(text, size, listed)).toEqual({ content: "x y", calls: ['0 find {"a": 1.50}', "1 find {}"] });
    // without a mark
    const plain = { ...listed, lead: "", mark: "{", head: "", between: undefined, close: "" };
    const code = 'if (a) { b } {"c": {"name": "find"}} {"name": "find", "with": {}}';
    expect(read(code, size, plain)).toEqual({ content: 'if (a) { b } {"c": {"name": "find"}} ', calls: ["0 find {}"] });
  });

  test("the last marks after a call may be missing", () => {
    const closed = { ...form, between: "</call><call>", close: "</call></calls>" };
    for (const [end, content] of [
      ["</call></calls>.", "."],
      ["</call>.", "."],
      [" </call>\n", ""],
      ["</ca.", "</ca."],
    ] as const)
      expect(read(`<call>find {}${end}`, size, closed)).toEqual({ content, calls: ["0 find {}"] });
  });

  test("a mark that is a control token", () => {
    const token = "\ufdd0";
    const marked: CallForm = {
      ...form,
      mark: token,
      head: token,
      between: token,
      close: "",
      marks: new Map([[7, token]]),
    };
    const text = `a\n${token}find {}${token}find {"b": 1} c ${token}other {}`;
    // one that begins no call is left out, as other control tokens are
    expect(read(text, size, marked)).toEqual({ content: "a c other {}", calls: ["0 find {}", '1 find {"b": 1}'] });
  });
});

test("ids have nine letters and digits, and each call its own", () => {
  const reader = new ToolReader(form, new Map([["find", tool]]), true);
  const ids = reader.push(CALL.repeat(50)).flatMap((part) => (part.part === "call" ? [part.call.id] : []));
  expect(new Set(ids).size).toBe(50);
  for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9]{9}$/);
});
