/** Ollama's `/api/chat` and `/api/generate`. */
import { JSON_LINES } from "../../http/events.js";
import { formOf } from "../../request/forms.js";
import type { TextApi } from "../api.js";
import { chatForm, generateForm, OllamaAnswer } from "./answer.js";
import { ollamaErrors } from "./errors.js";
import { CHAT_FIELDS, GENERATE_FIELDS, SHOW_FIELDS } from "./fields.js";
import { translateChat, translateGenerate } from "./translate.js";

export const ollamaChat: TextApi = {
  form: formOf("/api/chat", CHAT_FIELDS),
  translate: translateChat,
  errors: ollamaErrors,
  stream: JSON_LINES,
  open: (context) => new OllamaAnswer(context, chatForm),
};

export const ollamaGenerate: TextApi = {
  form: formOf("/api/generate", GENERATE_FIELDS),
  translate: translateGenerate,
  errors: ollamaErrors,
  stream: JSON_LINES,
  open: (context) => new OllamaAnswer(context, generateForm),
};

export const showForm = formOf("/api/show", SHOW_FIELDS);
