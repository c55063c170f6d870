/** What `npm run sanitize:addon` takes from the sanitizers' logs. */
import { expect, test } from "@jest/globals";
import { reportsIn } from "../../tools/sanitize.js";

const leak = (frame: string): string =>
  `Direct leak of 8 byte(s) in 1 object(s) allocated from:\n    #0 0x1 in operator new(unsigned long) asan_new_delete.cpp:95\n    #1 0x2 in ${frame}`;
const log = (...blocks: string[]): string =>
  `\n=====\n==1==ERROR: LeakSanitizer: detected memory leaks\n\n${blocks.join("\n\n")}\n\nSUMMARY: AddressSanitizer: 8 byte(s) leaked in 1 allocation(s).\n`;

test("a leak is reported if the addon is among its callers", () => {
  const byV8 = leak("v8::internal::Heap::Grow() (/usr/bin/node+0x10)");
  const bySymbol = leak(
    "ggsl::addon::ModelObject::load(Napi::CallbackInfo const&) ../../native/addon/model_object.cc:102",
  );
  const byLibrary = leak("(/build/sanitize-addon/ggsl.node+0x123)");
  expect(reportsIn(log(byV8))).toEqual([]);
  expect(reportsIn(log(byV8, bySymbol, byLibrary))).toEqual([bySymbol, byLibrary]);
});

test("every other error is reported, and an empty log is none", () => {
  expect(reportsIn("")).toEqual([]);
  expect(reportsIn("==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x1\n")).toHaveLength(1);
  expect(reportsIn("model.cc:1:2: runtime error: signed integer overflow\n")).toHaveLength(1);
});
