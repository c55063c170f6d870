/** The demo model with a chat template in its metadata. */
import { join } from "node:path";
import { DEMO_MODEL } from "../model/file.js";
import { loadOracle } from "../native/oracle.js";

/** Its plain words keep the model's text likely. */
const TEMPLATE = `{{- bos_token }}
{%- for message in messages %}
{%- if message.role not in ['system', 'user', 'assistant'] %}
{{- raise_exception('unknown role ' ~ message.role) }}
{%- endif %}
{{- message.content + '\\n' }}
{%- endfor %}`;

/** With `isExact` in f32, so that a text does not depend on how its prompt was cut into batches (`EXACT` of test/model/file.ts). */
export function writeChatModel(folder: string, template = TEMPLATE, isExact = false): string {
  const path = join(folder, isExact ? "chat-f32.gguf" : "chat.gguf");
  loadOracle().rewriteModel(DEMO_MODEL, path, { "tokenizer.chat_template": template }, isExact);
  return path;
}
