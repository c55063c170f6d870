/** A server for clients: the demo model, which calls tools only if it must. */
import { open, type Opened } from "../open.js";
import type { ServeOptions } from "../../../server/config/options.js";

/** Writes calls as Hermes does. The demo model is no instruct model: it only goes on with the text. */
const TEMPLATE = `{% if tools %}<tools>{% for tool in tools %}{{ tool.function.name }} {% endfor %}</tools>
{% endif %}{% for m in messages %}{{ m.role }}: {% if m.tool_calls %}{% for call in m.tool_calls %}<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>{% endfor %}{% else %}{{ m.content }}{% endif %}
{% endfor %}{% if add_generation_prompt %}assistant: {% endif %}`;

export const openDemo = (options: Partial<ServeOptions> = {}): Promise<Opened> =>
  open({ template: TEMPLATE, sequences: 2, contextSize: 512, ...options });

/** Waits until no text runs: the place of a client that has gone is free. */
export async function untilFree(server: Opened): Promise<void> {
  for (;;) if (/^ggsl_running_texts 0$/m.test(await server.get("/metrics"))) return;
}

/** The same request by OpenAI's chat. */
export const SEEDED = { model: "demo", max_completion_tokens: 12, seed: 1 };

export const PLACE = {
  type: "object",
  required: ["book", "verse"],
  additionalProperties: false,
  properties: { book: { enum: ["Genesis", "Exodus"] }, verse: { type: "integer", minimum: 1, maximum: 50 } },
};

export interface Place {
  readonly book: string;
  readonly verse: number;
}
