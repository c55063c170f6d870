/** Damaged chat templates: parsed, and rendered with conversations. */
import * as fc from "fast-check";
import type { ChatMessage } from "../../../runtime/chat/messages.js";
import { openConversation, renderConversation } from "../../../runtime/chat/render.js";
import { modelWith, sourceOf, TEMPLATES, TOOLS } from "../../chat/templates.js";
import { defineGenerator, Wrong } from "../core/generator.js";
import { shorter, shorterTexts } from "../core/shrink.js";
import { editedJson, jsonEdits, type JsonEdit } from "./json.js";
import { edits, mutated } from "./mutate.js";

/** Loops, macros, filters and tests, which the templates of models use sparingly. */
const OWN = [
  "{% for m in messages %}{{ m.role }}: {{ m.content | trim | upper }}\n{% else %}none{% endfor %}{{ bos_token ~ eos_token }}",
  "{% macro f(n) %}{% if n > 0 %}{{ n }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(5) }}",
  "{% set ns = namespace(i=0) %}{% for k, v in messages[0].items() %}{% set ns.i = ns.i + 1 %}{{ k ~ v }}{% endfor %}{{ ns.i }}",
  "{{ tools | tojson(indent=4) }}{{ 'a,b'.split(',') | join(';') }}{{ messages[::-1] | map(attribute='role') | list }}",
  "{%- if messages is defined and messages | length > 1 -%}{{ raise_exception('x' * 3) }}{%- endif -%}{{ strftime_now('%Y') }}",
  "{% for x in range(0, 9, 2) %}{{ loop.index0 }}{% if loop.last %}{% break %}{% endif %}{% endfor %}{# comment #}",
];
const SOURCES = [...OWN, ...TEMPLATES.map(sourceOf).filter((text) => text.length < 6000)];

const MESSAGES: readonly ChatMessage[] = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "What is 1 + 1? <|im_end|>" },
  { role: "assistant", content: "2" },
];

interface Case {
  readonly text: string;
  readonly messages: readonly JsonEdit[];
  readonly hasTools: boolean;
}

export const templates = defineGenerator<Case>({
  name: "templates",
  doc: "damaged chat templates, rendered with damaged conversations",
  cases: fc.record({
    text: fc
      .tuple(fc.constantFrom(...SOURCES), fc.constantFrom(...SOURCES), edits)
      .map(([text, other, all]) => mutated(text, other, all)),
    messages: fc.oneof({ weight: 3, arbitrary: fc.constant<readonly JsonEdit[]>([]) }, jsonEdits),
    hasTools: fc.boolean(),
  }),
  async run({ text, messages, hasTools }) {
    const given = editedJson(MESSAGES, messages) as readonly ChatMessage[];
    const conversation = openConversation(given, hasTools ? { tools: TOOLS } : {});
    const rendered = await renderConversation(modelWith(text), conversation);
    if (typeof rendered.text !== "string") throw new Wrong(`a prompt is ${typeof rendered.text}`);
  },
  *smaller(c) {
    for (const messages of shorter(c.messages)) yield { ...c, messages };
    for (const text of shorterTexts(c.text)) yield { ...c, text };
    if (c.hasTools) yield { ...c, hasTools: false };
  },
  show: ({ text }) => ({ ending: "jinja", text }),
  // the limit on steps allows two seconds
  seconds: 3,
});
