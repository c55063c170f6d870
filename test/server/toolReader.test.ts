/** Content beside calls, read piece by piece. */
import { describe, expect, test } from "@jest/globals";
import { ToolReader } from "../../server/openai/tools/reader.js";
import type { CallForm } from "../../server/openai/tools/form.js";

const CALL = "<call>find</call>";
const form: CallForm = {
  mark: "<call>",
  read(text) {
    const end = text.indexOf("</call>");
    return end < 0 ? "open" : { name: text.slice(6, end), arguments: "{}", length: end + 7 };
  },
  grammar: () => ({ gbnf: "" }),
};

/** What a text is read as, in pieces of some characters. */
function read(text: string, size: number): { content: string; calls: number } {
  const reader = new ToolReader(form, new Set(["find"]), true);
  let content = "";
  let calls = 0;
  const add = (one: ReturnType<ToolReader["push"]>): void => {
    content += one.content;
    calls += one.calls.length;
  };
  for (let at = 0; at < text.length; at += size) add(reader.push(text.slice(at, at + size)));
  add(reader.flush());
  return { content, calls };
}

describe.each([1, 3, 100])("in pieces of %i", (size) => {
  test.each([
    [` ${CALL}`, "", 1],
    [`\n\n${CALL}\n${CALL}\n `, "", 2],
    ["  \n", "  \n", 0],
    [" And God", " And God", 0],
    [`I look.\n${CALL}`, "I look.\n", 1],
    [`${CALL}\nFirst line.\n\n- one`, "\nFirst line.\n\n- one", 1],
    [`a ${CALL} b  c`, "a  b  c", 1],
    [" <call>other</call>", " <call>other</call>", 0],
    [" <cal", " <cal", 0],
  ])("%j", (text, content, calls) => {
    expect(read(text, size)).toEqual({ content, calls });
  });
});
