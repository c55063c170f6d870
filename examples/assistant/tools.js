/** What the assistant can do: for each tool what the model is told, and the function that is called. */
import { randomInt } from "node:crypto";

const integer = (minimum, maximum) => ({ type: "integer", minimum, maximum });

/** Results are JSON. The arguments obey the schema: the server enforces it while the model writes them. */
const TOOLS = {
  calculate: {
    description: "Adds, subtracts or multiplies two numbers",
    properties: { a: integer(0, 999), operator: { enum: ["+", "-", "*"] }, b: integer(0, 999) },
    run: ({ a, operator, b }) => ({ result: { "+": a + b, "-": a - b, "*": a * b }[operator] }),
  },
  cast_dice: {
    description: "Casts dice",
    properties: { dice: integer(1, 6), sides: { enum: [4, 6, 8, 12, 20] } },
    run: ({ dice, sides }) => ({ cast: Array.from({ length: dice }, () => randomInt(1, sides + 1)) }),
  },
};

/** The tools in the form of OpenAI's API. */
export const tools = Object.entries(TOOLS).map(([name, { description, properties }]) => ({
  type: "function",
  function: {
    name,
    description,
    parameters: { type: "object", properties, required: Object.keys(properties), additionalProperties: false },
  },
}));

/** Carries a call out. A call that cannot be is an answer to the model, too. */
export function carryOut({ name, arguments: text }) {
  const tool = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
  if (!tool) return { error: `there is no tool ${name}, but ${Object.keys(TOOLS).join(", ")}` };
  try {
    return tool.run(JSON.parse(text));
  } catch (error) {
    return { error: `the arguments ${text} cannot be used: ${error.message}` };
  }
}
