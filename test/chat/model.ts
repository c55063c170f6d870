/** The demo model with a chat template in its metadata. */
import { join } from "node:path";
import { DEMO_MODEL } from "../model/file.js";
import { loadOracle } from "../native/oracle.js";

/** Its plain words keep the model's text likely. */
export const TEMPLATE = `{{- bos_token }}
{%- for message in messages %}
{%- if message.role not in ['system', 'user', 'assistant'] %}
{{- raise_exception('unknown role ' ~ message.role) }}
{%- endif %}
{{- message.content + '\\n' }}
{%- endfor %}`;

export function writeChatModel(folder: string, template = TEMPLATE): string {
  const path = join(folder, "chat.gguf");
  loadOracle().rewriteModel(DEMO_MODEL, path, { "tokenizer.chat_template": template }, false);
  return path;
}
