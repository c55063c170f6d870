/** OpenAI's chat and completions, whose fields are the server's own form. */
import { SERVER_SENT } from "../../http/events.js";
import type { TextEndpoint } from "../../request/fields.js";
import { FORMS } from "../../request/forms.js";
import type { ErrorForm, TextApi } from "../api.js";
import { ChoicesAnswer } from "./answers.js";

export const openAIErrors: ErrorForm = (refusal, request) =>
  request === undefined ? refusal.body : refusal.bodyFor(request);

const api = (endpoint: TextEndpoint): TextApi => ({
  form: FORMS[endpoint],
  endpoint,
  errors: openAIErrors,
  stream: SERVER_SENT,
  open: (context) => new ChoicesAnswer(context),
});

export const chat = api("chat");
export const completions = api("completions");
