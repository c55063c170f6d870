/** docs/tried-models.md says what the tests of templates, vocabularies and architectures have. */
import { expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { REAL, REWRITTEN } from "../tokenize/texts.js";
import { WITHOUT } from "./reasoningTables.js";
import { TEMPLATES } from "./templates.js";
import { UNREAD, WITHOUT_CALLS } from "./toolTables.js";

const PAGE = readFileSync("docs/tried-models.md", "utf8");

test("each template has a row with what is known of it", () => {
  const table = PAGE.slice(PAGE.indexOf("| template |"));
  const rows = [...table.matchAll(/^\| (\S+) \| (.*?) ?\| (.+) \|$/gm)].slice(2);
  const calls = (name: string): string => {
    if (name in UNREAD) return "not read";
    return WITHOUT_CALLS.includes(name) ? "shows none" : "yes";
  };
  const names = TEMPLATES.map((file) => file.replace(/\.jinja$/, "")).sort();
  expect(rows.map(([, name, thoughts, found]) => [name, thoughts, found])).toEqual(
    names.map((name) => [name, WITHOUT.includes(name) ? "" : "yes", calls(name)]),
  );
  expect(PAGE).toContain(`| ${names.length} chat templates of llama.cpp's repository |`);
});

test("the vocabularies are counted", () => {
  expect(PAGE).toContain(`| ${REAL.length} vocabularies of llama.cpp's repository`);
  expect(PAGE).toContain(`${REWRITTEN.length} more ways to divide texts`);
});

test("llama.cpp has the architectures that fit", () => {
  const known = readFileSync("build/llama.cpp/src/llama-arch.cpp", "utf8");
  const [, list] = /is one that llama\.cpp knows([^]*?)\. An unknown one/.exec(PAGE)!;
  const named = [...list!.matchAll(/`([\w-]+)`/g)].map(([, name]) => name!);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !known.includes(`"${name}"`))).toEqual([]);
});
