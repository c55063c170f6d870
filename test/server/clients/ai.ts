/** What is run with each provider of the AI SDK. */
import { expect } from "@jest/globals";
import { APICallError, generateText, jsonSchema, Output, stepCountIs, streamText, tool, type LanguageModel } from "ai";
import type { Opened } from "../open.js";
import { PLACE, untilFree, type Place } from "./demo.js";

interface Sdk {
  readonly server: () => Opened;
  readonly model: (name?: string) => LanguageModel;
  /** Options of the provider. */
  readonly options?: Parameters<typeof generateText>[0]["providerOptions"];
  /** The same, with an end that does not come. */
  readonly endless?: () => LanguageModel;
}

const place = jsonSchema<Place>(PLACE as never);
const base = { prompt: "And God said", maxOutputTokens: 12, temperature: 0, maxRetries: 0 };

export function aiSdk({ server, model, options }: Sdk) {
  const common = () => ({ ...base, model: model(), ...(options && { providerOptions: options }) });
  return {
    async text(): Promise<void> {
      const whole = await generateText(common());
      expect([whole.finishReason, whole.usage.outputTokens]).toEqual(["length", 12]);
      expect(whole.text).not.toBe("");
      const stream = streamText(common());
      const parts: string[] = [];
      for await (const part of stream.textStream) parts.push(part);
      expect(parts.length).toBeGreaterThan(1);
      expect(parts.join("")).toBe(whole.text);
      expect([await stream.finishReason, (await stream.usage).outputTokens]).toEqual(["length", 12]);
    },
    /** The first step must call a tool; what the second one has, the server has rendered with the call and its result. */
    async loop(): Promise<void> {
      const found: Place[] = [];
      const find = tool({
        description: "Finds a verse",
        inputSchema: place,
        execute(at) {
          found.push(at);
          return Promise.resolve("Let there be light");
        },
      });
      const asked = {
        ...common(),
        maxOutputTokens: 80,
        tools: { find },
        stopWhen: stepCountIs(2),
        prepareStep: ({ stepNumber }: { stepNumber: number }) => ({
          toolChoice: stepNumber === 0 ? ("required" as const) : ("none" as const),
        }),
      };
      const whole = await generateText(asked);
      const stream = streamText(asked);
      await stream.consumeStream();
      for (const steps of [whole.steps, await stream.steps]) {
        expect(steps.map(({ toolCalls }) => toolCalls.length)).toEqual([1, 0]);
        expect(steps[0]!.finishReason).toBe("tool-calls");
        expect(steps[1]!.usage.inputTokens).toBeGreaterThan(steps[0]!.usage.inputTokens! + 20);
      }
      expect(found).toHaveLength(2);
      expect(["Genesis", "Exodus"]).toContain(found[0]!.book);
      expect(found[1]).toEqual(found[0]);
    },
    async object(): Promise<void> {
      const asked = { ...common(), maxOutputTokens: 100, output: Output.object({ schema: place, name: "place" }) };
      const { output } = await generateText(asked);
      expect(Object.keys(output)).toEqual(["book", "verse"]);
      expect(output.verse).toBeLessThanOrEqual(50);
      const stream = streamText(asked);
      await stream.consumeStream();
      expect(await stream.output).toEqual(output);
    },
    async abort(): Promise<void> {
      const abort = new AbortController();
      const asked = { ...common(), prompt: "Count: one, two, three,", maxOutputTokens: 400 };
      const stream = streamText({ ...asked, abortSignal: abort.signal });
      const kinds: string[] = [];
      for await (const { type } of stream.fullStream) {
        kinds.push(type);
        if (type === "text-delta") abort.abort();
      }
      expect(kinds.at(-1)).toBe("abort");
      await untilFree(server());
    },
    async error(): Promise<void> {
      const error: unknown = await generateText({ ...common(), model: model("other") }).catch(
        (reason: unknown) => reason,
      );
      expect(APICallError.isInstance(error) && error.statusCode).toBe(404);
      expect((error as Error).message).toContain("the model `other` does not exist");
    },
  };
}
