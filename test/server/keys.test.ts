/** API keys: the file, what is wrong with it, identification, and changes while the server runs. */
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { createHash } from "node:crypto";
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Keys } from "../../server/keys/keys.js";
import { Refusal } from "../../server/refusal.js";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-keys-"));
  file = join(folder, "keys.txt");
});
afterEach(() => rmSync(folder, { recursive: true }));

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const write = (...lines: readonly string[]): void => writeFileSync(file, lines.join("\n"));

const LINES = [
  "# secret   name   limits",
  "",
  "sk-alice-1 alice requests=4 work=1000000 sorts=2",
  `sha256:${sha256("sk-bob-22")} bob`,
  "  sk-carol-3 requests=1  ",
];

describe("a file of keys", () => {
  test("has names and limits; secrets and their sha256 are the same", () => {
    write(...LINES);
    using keys = Keys.open(file, { limits: { requests: 8, cost: { work: 5, nodes: 7 } } });
    expect([keys.size, keys.isRequired]).toEqual([3, true]);
    expect(keys.identify("Bearer sk-alice-1")).toEqual({
      id: sha256("sk-alice-1").slice(0, 16),
      name: "alice",
      limits: {
        requests: 4,
        texts: Infinity,
        tokens: Infinity,
        tokensPerMinute: Infinity,
        cost: { work: 1_000_000, sorts: 2, nodes: 7 },
      },
    });
    expect(keys.identify("bearer sk-bob-22")).toMatchObject({ name: "bob", limits: { requests: 8 } });
    const carol = keys.identify("Bearer sk-carol-3");
    expect([carol.name, carol.limits.requests]).toEqual([carol.id, 1]);
  });

  test.each([
    [undefined],
    [""],
    ["sk-alice-1"],
    ["Basic sk-alice-1"],
    ["Bearer "],
    ["Bearer sk-alice-"],
    ["Bearer sk-alice-11"],
    ["Bearer sk-alice-1 x"],
    [`Bearer sha256:${sha256("sk-bob-22")}`],
    [`Bearer ${sha256("sk-bob-22")}`],
    [`Bearer ${"x".repeat(5000)}`],
    ["Bearer sk-älice"],
  ])("%j is refused", (header) => {
    write(...LINES);
    using keys = Keys.open(file);
    try {
      keys.identify(header);
    } catch (error) {
      expect(error).toBeInstanceOf(Refusal);
      const { status, body } = error as Refusal;
      expect([status, body.error.type, body.error.code]).toEqual([401, "authentication_error", "invalid_api_key"]);
      return;
    }
    throw new Error("it is identified");
  });

  test("the secrets are not in memory that can be printed", () => {
    write(...LINES);
    using keys = Keys.open(file);
    expect(JSON.stringify([keys, keys.identify("Bearer sk-alice-1")])).not.toContain("sk-alice");
  });

  test.each([
    ["short", /line 1: a key has at least 8 characters/],
    ["sk-ünicode-key", /line 1: a key consists of visible ASCII characters/],
    ["sha256:12ab bob", /line 1: after `sha256:` come 64 hexadecimal digits/],
    ["# comment\nsk-alice-1 alice rquests=3", /line 2: expected a limit such as requests=4 .*found "rquests=3"/],
    ["sk-alice-1 alice bob", /line 1: expected a limit .*found "bob"/],
    ["sk-alice-1 requests=0", /line 1: `requests` must be at least 1/],
    ["sk-alice-1 requests=-1", /line 1: expected a limit/],
    ["sk-alice-1 work=1e99", /line 1: expected a limit/],
    ["sk-alice-1 a\nsk-alice-1 b", /line 2: the key or its name is that of line 1/],
    ["sk-alice-1 a\nsk-bob-22 a", /line 2: the key or its name is that of line 1/],
    ["# nothing\n", /has no key: expected one in each line/],
  ])("%j: what is wrong, and where", (text, message) => {
    write(text);
    const open = (): Keys => Keys.open(file);
    expect(open).toThrow(message);
    expect(open).toThrow(expect.objectContaining({ code: "INVALID_FILE" }));
    expect(open).not.toThrow(/sk-/);
  });

  test.each([
    ["absent", /there is no such file/],
    ["", /it is a folder/],
  ])("%j cannot be read", (name, message) => {
    expect(() => Keys.open(join(folder, name))).toThrow(message);
    expect(() => Keys.open(join(folder, name))).toThrow(expect.objectContaining({ code: "UNREADABLE_FILE" }));
  });
});

test("each key is found after a comparison with all of them", () => {
  const count = 20_000;
  write(...Array.from({ length: count }, (_, i) => `sk-number-${i}`));
  using keys = Keys.open(file);
  const timeOf = (i: number): number => {
    const start = performance.now();
    expect(keys.identify(`Bearer sk-number-${i}`).limits.requests).toBe(Infinity);
    return performance.now() - start;
  };
  const least = (i: number): number => Math.min(...Array.from({ length: 20 }, () => timeOf(i)));
  least(0);
  // it would be thousands of times less, if the search ended there
  expect(least(0)).toBeGreaterThan(least(count - 1) / 4);
});

test("a server without keys has one anonymous key", () => {
  const keys = Keys.none({ limits: { requests: 3 } });
  expect([keys.isRequired, keys.size, keys.reload()]).toEqual([false, 0, false]);
  expect(keys.identify(undefined)).toEqual({
    id: "anonymous",
    name: "anonymous",
    limits: { requests: 3, texts: Infinity, tokens: Infinity, tokensPerMinute: Infinity, cost: {} },
  });
  expect(keys.identify("Bearer whatever")).toBe(keys.identify(undefined));
});

describe("a file that changes", () => {
  const log: string[] = [];
  const note = (_: object, message: string): void => void log.push(message);
  const waitFor = async (isThere: () => boolean): Promise<void> => {
    while (!isThere()) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const knows = (keys: Keys, secret: string): boolean => {
    try {
      keys.identify(`Bearer ${secret}`);
      return true;
    } catch {
      return false;
    }
  };

  test("is read again; a broken one keeps the keys and says so once", async () => {
    log.length = 0;
    write("sk-first-1 first");
    using keys = Keys.open(file, { every: 10, log: { info: note, warn: note, error: note } });
    write("sk-second-2 second");
    await waitFor(() => knows(keys, "sk-second-2"));
    expect(knows(keys, "sk-first-1")).toBe(false);
    write("sk-third-3 third", "x");
    await waitFor(() => log.length === 2);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(log).toEqual([
      `the keys were read again from "${file}"`,
      `the keys did not change: "${file}", line 2: a key has at least 8 characters`,
    ]);
    expect([knows(keys, "sk-second-2"), knows(keys, "sk-third-3")]).toEqual([true, false]);
    rmSync(file);
    await waitFor(() => log.length === 3);
    expect([log[2], keys.size]).toEqual([
      `the keys did not change: "${file}" cannot be read: there is no such file`,
      1,
    ]);
    // as editors and deployments write it: another file takes its place
    writeFileSync(join(folder, "new"), "sk-fourth-4 fourth");
    renameSync(join(folder, "new"), file);
    await waitFor(() => knows(keys, "sk-fourth-4"));
  });

  test("is found through a link, and no longer after close", async () => {
    const link = join(folder, "link");
    write("sk-first-1 first");
    symlinkSync("keys.txt", link);
    const keys = Keys.open(link, { every: 10 });
    write("sk-second-2 second");
    await waitFor(() => knows(keys, "sk-second-2"));
    keys.close();
    write("sk-third-3 third");
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(knows(keys, "sk-third-3")).toBe(false);
    expect([keys.reload(), knows(keys, "sk-third-3")]).toEqual([true, true]);
  });
});
