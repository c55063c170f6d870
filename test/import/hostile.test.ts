/** Settings that are wrong, huge or malicious: a quick error that says where and what was expected. */
import { describe, expect, test } from "@jest/globals";
import { importFile, importWords, ImportError } from "../../settings/from/import.js";
import { ggufOf, header, join, sourceOf, text, textSource, u32, u64 } from "./gguf.js";

const given = (settings: string, kind?: string): string => importFile(textSource(settings), "s.json", kind).text;

/** The error's message; fails if the import succeeds, and by jest's limit if it does not end. */
function refused(action: () => unknown): string {
  let message = "";
  try {
    action();
  } catch (error) {
    expect(error).toBeInstanceOf(ImportError);
    ({ message } = error as Error);
  }
  expect(message).not.toBe("");
  expect(message.length).toBeLessThan(2000);
  return message;
}

describe("JSON", () => {
  test.each([
    ["ten megabytes", `{"top_k": "${"x".repeat(10_000_000)}"}`, "expected settings of at most 1048576 characters"],
    ["deep lists", `{"a": ${"[".repeat(100_000)}`, "s.json:1: expected at most 64 levels of nesting, found more"],
    ["deep objects", '{"a":'.repeat(100_000), "expected at most 64 levels of nesting"],
    ["an unclosed quote", `{"a": "${'\\"'.repeat(400_000)}`, "this is no JSON"],
    ["NaN", '{\n"temperature": NaN}', "s.json:2: this is no JSON"],
    ["a key twice", '{"top_p": 1,\n"top_p": 0.5}', 's.json:2: "top_p" is given twice, before at s.json:1'],
    ["a huge number", '{"temperature": 1e999}', '"temperature" must be a finite number, found 1e999'],
    ["beyond f32", '{"temperature": 1e39}', '"temperature" must be a finite number, found 1e39'],
    ["a long number", `{"top_k": ${"9".repeat(500)}}`, '"top_k" must be a whole number, found 9999'],
    ["a string for a number", '{"top_p": "0.9"}', 's.json:1: "top_p" must be a finite number, found "0.9"'],
    ["a fraction", '{"top_k": 40.5}', '"top_k" must be a whole number, found 40.5'],
    ["a list for a number", '{"min_p": [0.1]}', '"min_p" must be a finite number, found a list'],
    ["no object", "[1, 2]", "s.json:1: expected an object of settings"],
    ["nothing", "", "this is no JSON"],
    ["trailing text", '{"top_k": 1} x', "this is no JSON"],
    ["an invalid bias", '{"logit_bias": {"5": true}}', "expected a bias, a number or false for a ban, found true"],
    ["an invalid pair", '{"logit_bias": [[1, 2], 3]}', "expected a pair of a token id and a bias, found 3"],
    ["an invalid order", '{"samplers": [1]}', '"samplers" must be a list of texts, found a list'],
    ["a range", '{"repeat_penalty": 0}', '"repeat_penalty" must be a number, > 0, found 0'],
  ])("%s", (_, settings, message) => {
    const start = settings.startsWith("{") || settings.startsWith("[") ? "" : "{";
    expect(refused(() => given(start + settings, "llama.cpp"))).toContain(message);
  });

  const many = (count: number, token: (i: number) => unknown): string =>
    JSON.stringify(Array.from({ length: count }, (_, i) => token(i)));
  test.each([
    ["a bias of no tokens", '{"sequence_bias": [[[], 1]]}', "expected a pair of token ids and a bias"],
    ["tokens that are texts", '{"sequence_bias": {"a, b": 1}}', "expected a pair of token ids and a bias, found 1"],
    ["a fraction as a token", '{"bad_words_ids": [[1, 2.5]]}', '"bad_words_ids" must be a list of lists of token ids'],
    ["an empty word", '{"bad_words_ids": [[]]}', '"bad_words_ids" must be a list of lists of token ids'],
    ["many words", `{"bad_words_ids": ${many(2049, (i) => [i, 1])}}`, "at most 4096 token ids, and 1024 in a sequence"],
    ["a long word", `{"bad_words_ids": [${many(1025, (i) => i)}]}`, "at most 4096 token ids, and 1024 in a sequence"],
    ["many tokens", `{"suppress_tokens": ${many(5000, (i) => i)}}`, "must be a list of at most 4096 token ids"],
    ["a negative token", '{"suppress_tokens": [-1]}', '"suppress_tokens" must be a token id, or a list of them'],
    [
      "a place without a token",
      '{"forced_decoder_ids": [[1]]}',
      "a list of at most 64 pairs of a place and a token id",
    ],
    ["many places", `{"forced_decoder_ids": ${many(65, (i) => [i, 1])}}`, "a list of at most 64 pairs"],
    ["a strength of guidance", '{"guidance_scale": 101}', '"guidance_scale" must be a number, in [0, 100], found 101'],
    ["a watermark's part", '{"watermarking_config": {"greenlist_ratio": 2}}', '"watermarking_config.greenlist_ratio"'],
  ])("generation_config.json: %s", (_, settings, message) => {
    expect(refused(() => given(settings, "huggingface"))).toContain(message);
  });

  test("lists at their limits", () => {
    const words = many(2048, (i) => [i, 1]);
    const text = given(`{"bad_words_ids": ${words}, "suppress_tokens": ${many(1500, (i) => i)}}`, "huggingface");
    expect(text.split("\n").every((line) => line.length <= 120)).toBe(true);
    expect(given(`{"allowed_token_ids": ${many(4096, (i) => i)}}`, "vllm")).toContain("4095");
    expect(refused(() => given(`{"allowed_token_ids": ${many(4097, (i) => i)}}`, "vllm"))).toContain(
      "1 to 4096 token ids",
    );
    expect(refused(() => given('{"bad_words": [" "]}', "vllm"))).toContain("a list of at most 2048 words");
  });

  test("names of Object's members are ordinary names", () => {
    expect(given('{"__proto__": {"top_k": 1}, "constructor": 1, "toString": 2}', "llama.cpp")).toContain("__proto__");
  });

  test("texts of settings cannot escape their comment or string", () => {
    const key = "x\\n\\nchain evil = dist()\\u2028\\u0000";
    const program = given(`{"${key}": 1, "grammar": "root ::= \\"a\\" // \\n\\" |> evil"}`, "llama.cpp");
    expect(program).not.toContain("\nchain evil");
    expect(program.match(/^chain /gm)).toHaveLength(1);
  });

  test("ambiguous settings name the candidates", () => {
    expect(refused(() => given('{"temperature": 1, "top_p": 0.5}'))).toContain("several tools have such settings");
    expect(refused(() => given('{"nobody": 1}'))).toContain("no key identifies the tool");
    expect(refused(() => given('{"num_ctx": 1, "max_tokens": 5}'))).toContain("one of ollama, vllm");
  });

  test("many biases are left to the request, many tokens named", () => {
    const biases = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [String(i), 1]));
    const { notes } = importFile(textSource(JSON.stringify({ logit_bias: biases })), "s.json", "llama.cpp");
    expect(notes[0]!.text).toContain("20000 biases are more than a program states: 4096 tokens");
  });
});

describe("command lines", () => {
  test.each([
    [["--temp"], 'word 1: expected a value after "--temp", found the end'],
    [["--temp", "warm"], 'word 2: "--temp" must be a finite number, found "warm"'],
    [["--temp", "inf"], '"--temp" must be a finite number'],
    [["--top-k", "0x10"], '"--top-k" must be a finite number'.replace("finite", "whole")],
    [["--mirostat", "3"], '"--mirostat" must be a whole number, in [0, 2], found "3"'],
    [["--repeat-penalty", "0"], '"--repeat-penalty" must be a number, > 0'],
    [["--logit-bias", "5+inf"], "must be a token id and a bias below infinity"],
    [["--logit-bias", "99999999999+1"], "must be a token id"],
    [["--seed", "abc"], '"--seed" must be an integer, found "abc"'],
  ])("%j", (words, message) => {
    expect(refused(() => importWords(words))).toContain(message);
  });

  test("a file with an open quote", () => {
    expect(refused(() => importFile(textSource("llama-cli --grammar 'root"), "a.args", undefined))).toContain(
      "a.args:1: expected '",
    );
  });
});

describe("Modelfiles", () => {
  test.each([
    ["FROM x\nWOBBLE y", "m:2: expected an instruction (FROM, PARAMETER"],
    ["FROM x\nPARAMETER top_k", "m:2: expected a name and a value after PARAMETER"],
    ["FROM x\nPARAMETER temperature hot", 'm:2: "temperature" must be a finite number, found "hot"'],
    ['FROM x\nSYSTEM """never ends', 'm:2: expected """ at the end of a text'],
  ])("%j", (file, message) => {
    expect(refused(() => importFile(textSource(file), "m", undefined))).toContain(message);
  });
});

describe("GGUF", () => {
  const gguf = (bytes: Uint8Array): unknown => importFile(sourceOf(bytes), "m.gguf", undefined);
  const key = text("general.sampling.top_k");
  test.each([
    ["a truncated file", join([header(1n), key]), "should take 4 bytes, but the file has only 0 more"],
    ["only the magic number", new TextEncoder().encode("GGUF"), "should take 4 bytes"],
    ["another version", header(0n, 1), "expected GGUF of version 2 or 3, little-endian, found version 1"],
    ["big-endian", header(0n, 0x03000000), "found version 50331648"],
    ["too many keys", header(2n ** 63n), "expected at most 65536 keys, found 9223372036854775808"],
    ["more keys than bytes", header(60_000n), "60000 keys do not fit into the 0 bytes that are left"],
    ["a false key length", join([header(1n), u64(2n ** 40n), key]), "expected at most 65536 bytes of a key"],
    ["a false text length", join([header(1n), text("a"), u32(8), u64(2n ** 62n)]), 'bytes of "a"'],
    ["a false list size", join([header(1n), text("a"), u32(9), u32(8), u64(2n ** 24n)]), "do not fit into the 0 bytes"],
    ["a list too long", join([header(1n), text("a"), u32(9), u32(4), u64(2n ** 50n)]), 'entries of "a"'],
    ["lists in lists", join([header(1n), text("a"), u32(9), u32(9), u64(1n)]), "array of the type 9"],
    ["an unknown type", join([header(1n), key, u32(77), u64(0n)]), "has the type 77"],
    ["a key twice", join([header(2n), key, u32(4), u32(1), key, u32(4), u32(2)]), "is given twice"],
    ["not a number", ggufOf({ "general.sampling.temp": ["f32", NaN] }), "must be a finite number, found NaN"],
    [
      "a text for a number",
      ggufOf({ "general.sampling.top_p": ["string", "x"] }),
      'must be a finite number, found "x"',
    ],
  ])("%s", (_, bytes, message) => {
    expect(refused(() => gguf(bytes))).toContain(message);
  });

  test("random bytes", () => {
    const bytes = Uint8Array.from({ length: 5000 }, (_, i) => (i * 7919 + (i >> 3) * 104_729) & 255);
    expect(refused(() => gguf(bytes))).toContain("expected a text in UTF-8 or a GGUF file, found other bytes");
    for (let length = 0; length < 200; length++)
      refused(() => gguf(join([header(3n), bytes.subarray(length, 2 * length)])));
  });
});
