/** Anthropic's Messages. */
import { SERVER_SENT } from "../../http/events.js";
import { formOf } from "../../request/forms.js";
import type { BodyApi, TextApi } from "../api.js";
import { MessageAnswer } from "./answer.js";
import { anthropicErrors } from "./errors.js";
import { COUNT_FIELDS, MESSAGES_FIELDS } from "./fields.js";
import { translate } from "./translate.js";

export const messages: TextApi = {
  form: formOf("/v1/messages", MESSAGES_FIELDS),
  translate,
  errors: anthropicErrors,
  stream: { ...SERVER_SENT, ping: SERVER_SENT.text({ name: "ping", data: { type: "ping" } }) },
  open: (context) => new MessageAnswer(context),
};

/** Conversations whose tokens are counted. */
export const countTokens: BodyApi = {
  form: formOf("/v1/messages/count_tokens", COUNT_FIELDS),
  translate,
  errors: anthropicErrors,
};
