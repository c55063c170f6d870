/** Phrases that a request does not want. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { open, type Opened } from "./open.js";

let server: Opened;
beforeAll(async () => {
  server = await open({ sequences: 8, template: "{% for m in messages %}{{ m.content }}{% endfor %}" });
});
afterAll(() => server.close(0));

const PROMPT = { prompt: "In the beginning", temperature: 0.8, seed: 3, max_tokens: 30 };
type Answer = Awaited<ReturnType<Opened["post"]>>;
const ask = (fields: object): Promise<Answer> => server.post("/v1/completions", { ...PROMPT, ...fields });
const choiceOf = ({ body }: Answer) => (body["choices"] as { text: string; finish_reason: string }[])[0]!;
const textOf = (answer: Answer): string => choiceOf(answer).text;

/** Words of the text without phrases. */
async function wordsOf(fields: object = {}): Promise<string[]> {
  return textOf(await ask(fields))
    .split(/[^A-Za-z]+/)
    .filter((word) => word.length > 2);
}

describe("phrases", () => {
  test("are in no text, by each of their names", async () => {
    const [word = "", other = ""] = (await wordsOf()).slice(2);
    const texts = new Set<string>();
    for (const fields of [
      { banned_phrases: [word, other] },
      { banned_phrases: [{ text: word.toUpperCase(), ignore_case: true }, { regex: `${other.slice(0, -1)}[a-z]` }] },
      { banned_tokens: [word.toUpperCase(), other] },
      { banned_strings: [word, other.toLowerCase()] },
      { banned_strings: word, banned_phrases: [other] },
      { banned_tokens: [word, other], banned_strings: ["the"], banned_phrases: [] },
    ]) {
      const answer = await ask(fields);
      expect(answer.body.error).toBeUndefined();
      expect(textOf(answer)).not.toContain(word);
      expect(textOf(answer)).not.toContain(other);
      texts.add(textOf(answer));
    }
    expect(texts.size).toBeLessThanOrEqual(3);
    // what asks for nothing changes nothing
    const none = await ask({ banned_phrases: [], banned_tokens: [], banned_strings: "" });
    expect(textOf(none)).toBe(textOf(await ask({})));
  });

  test("are in no event of a stream", async () => {
    const [word = ""] = (await wordsOf()).slice(3);
    const whole = textOf(await ask({ banned_phrases: [word] }));
    let streamed = "";
    const body = { ...PROMPT, model: "demo", stream: true as const, banned_phrases: [word] };
    for await (const { choices } of await server.client.completions.create(body)) {
      streamed += choices[0]?.text ?? "";
      expect(streamed).not.toContain(word);
    }
    expect(streamed).toBe(whole);
    const { choices } = await server.client.chat.completions.create({
      ...{ model: "demo", messages: [{ role: "user" as const, content: "And" }], max_completion_tokens: 20 },
      ...{ banned_tokens: ["THE"] },
    });
    expect(choices[0]!.message.content).not.toMatch(/the/i);
  });

  test("one seed is one text, alone and beside others", async () => {
    const banned_phrases = (await wordsOf()).slice(0, 6);
    const alone = textOf(await ask({ banned_phrases }));
    const together = await Promise.all(
      Array.from({ length: 6 }, (_, i) => ask(i === 2 ? { banned_phrases } : { seed: i, banned_phrases })),
    );
    expect(textOf(together[2]!)).toBe(alone);
  });

  test("work with any sampler", async () => {
    const sampler = { sampler: "greedy()", temperature: null, seed: null };
    const [word = ""] = (await wordsOf(sampler)).slice(2);
    const answer = await ask({ ...sampler, banned_phrases: [word] });
    expect(answer.body.error).toBeUndefined();
    expect(textOf(answer)).not.toContain(word);
  });

  test("stay where a grammar allows nothing else", async () => {
    const answer = await ask({ grammar: 'root ::= "the king"', banned_phrases: ["king"] });
    expect(textOf(answer)).toBe("the king");
    const choices = ["yes", "no"];
    const taken = textOf(await ask({ guided_choice: choices }));
    expect(textOf(await ask({ guided_choice: choices, banned_strings: [taken] }))).toBe(
      choices.find((choice) => choice !== taken),
    );
  });

  test("a text that goes back too often ends before the phrase", async () => {
    const answer = await ask({ banned_phrases: [{ regex: "[^]" }], ignore_eos: true });
    expect(answer.body.error).toBeUndefined();
    expect(choiceOf(answer)).toMatchObject({ text: "", finish_reason: "length" });
    expect(answer.body["usage"]).toMatchObject({ completion_tokens: 0 });
    // each place has another one
    const longer = await ask({
      banned_phrases: [{ regex: "[a-z]{2}[^]{4}[a-z ]" }],
      ignore_eos: true,
      max_tokens: 200,
    });
    expect(textOf(longer)).not.toMatch(/[a-z]{2}[^]{4}[a-z ]/);
    const { completion_tokens: tokens } = longer.body["usage"] as { completion_tokens: number };
    expect(tokens).toBeLessThan(200);
    expect(choiceOf(longer).finish_reason).toBe("length");
  });

  test.each([
    [{ banned_phrases: "the" }, "banned_phrases"],
    [{ banned_phrases: [1] }, "banned_phrases[0]"],
    [{ banned_phrases: [{}] }, "banned_phrases"],
    [{ banned_phrases: [""] }, "banned_phrases"],
    [{ banned_phrases: [{ regex: "a+" }] }, "banned_phrases"],
    [{ banned_phrases: [{ regex: "[ab]{1025}" }] }, "banned_phrases"],
    [{ banned_phrases: [{ regex: "(a" }] }, "banned_phrases"],
    [{ banned_phrases: Array.from({ length: 257 }, (_, i) => ({ regex: `a${i}` })) }, "banned_phrases"],
    [{ banned_phrases: Array.from({ length: 4097 }, String) }, "banned_phrases"],
    [{ banned_tokens: Array.from({ length: 70 }, (_, i) => String(i).padEnd(1000, "x")) }, "banned_tokens"],
    [{ banned_tokens: [5] }, "banned_tokens[0]"],
    [{ banned_strings: ["x".repeat(1025)] }, "banned_strings"],
  ])("what is wrong has the name of its field: %#", async (fields, param) => {
    const { status, body } = await ask(fields);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ param, code: "invalid_request" });
    expect(body.error!.message).toContain(`\`${param}`);
  });
});
