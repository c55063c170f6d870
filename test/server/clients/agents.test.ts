/** OpenAI's kit of agents. */
import { afterAll, beforeAll, expect } from "@jest/globals";
import {
  Agent,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  Runner,
  setTracingDisabled,
  tool,
  type AgentOutputType,
  type Model,
} from "@openai/agents";
import { z } from "zod";
import type { Opened } from "../open.js";
import { casesOf } from "./cases.js";
import { openDemo, untilFree } from "./demo.js";

let server: Opened;
beforeAll(async () => {
  setTracingDisabled(true);
  server = await openDemo();
});
afterAll(() => server.close(0));

const ran = casesOf("agents");
const responses = (name = "demo"): Model => new OpenAIResponsesModel(server.client, name);
const chat = (name = "demo"): Model => new OpenAIChatCompletionsModel(server.client, name);
const runner = new Runner({ tracingDisabled: true });

const place = z.object({ book: z.enum(["Genesis", "Exodus"]) });

/** The demo model calls what it must: one tool in the first turn, the other in the second, and then it writes. */
async function loop(model: Model): Promise<void> {
  const called: string[] = [];
  const agent = new Agent({
    name: "Reader",
    instructions: "Find a verse",
    model,
    modelSettings: { toolChoice: "find", maxTokens: 80, temperature: 0 },
    resetToolChoice: false,
    tools: [
      tool({
        name: "find",
        description: "Finds a verse",
        parameters: place,
        execute({ book }) {
          called.push(`find ${book}`);
          agent.modelSettings.toolChoice = "read";
          return "Let there be light";
        },
      }),
      tool({
        name: "read",
        description: "Reads a verse",
        parameters: place,
        execute({ book }) {
          called.push(`read ${book}`);
          agent.modelSettings.toolChoice = "none";
          return "And there was light";
        },
      }),
    ],
  });
  const result = await runner.run(agent, "And God said", { maxTurns: 4 });
  expect(called.map((one) => one.split(" ")[0])).toEqual(["find", "read"]);
  expect(result.history.map((item) => ("type" in item ? item.type : "message"))).toEqual([
    ...["message", "function_call", "function_call_result", "function_call", "function_call_result", "message"],
  ]);
  expect(typeof result.finalOutput).toBe("string");
}

const agentOf = <Output extends AgentOutputType>(more: object): Agent<unknown, Output> =>
  new Agent<unknown, Output>({ name: "Reader", model: responses(), ...more });

ran("two tools in a loop", () => loop(responses()));
ran("two tools in a loop by chat", () => loop(chat()));

ran("a stream", async () => {
  const agent = agentOf({ modelSettings: { maxTokens: 12, temperature: 0 } });
  const stream = await runner.run(agent, "And God said", { stream: true });
  let text = "";
  for await (const part of stream.toTextStream()) text += part;
  expect(text).not.toBe("");
  expect(text).toBe(stream.finalOutput);
});

ran("an object by a schema", async () => {
  const { finalOutput } = await runner.run(agentOf({ outputType: place, modelSettings: { maxTokens: 60 } }), "A place");
  expect(place.parse(finalOutput)).toEqual(finalOutput);
});

ran("an abort", async () => {
  const abort = new AbortController();
  const settings = { maxTokens: 400, temperature: 0, providerData: { ignore_eos: true } };
  const stream = await runner.run(agentOf({ modelSettings: settings }), "And God said", {
    stream: true,
    signal: abort.signal,
  });
  for await (const part of stream.toTextStream()) if (part) abort.abort();
  await stream.completed.catch(() => undefined);
  await untilFree(server);
});

ran("an error", async () => {
  const asked = runner.run(agentOf({ model: responses("other") }), "And God said");
  await expect(asked).rejects.toThrow(/the model `other` does not exist/);
});
