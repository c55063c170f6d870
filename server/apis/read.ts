/** Requests of all APIs on their way to the server's own form. What is wrong with them is told in the client's own names. */
import { Refusal, unsupported } from "../refusal.js";
import type { GivenBody } from "../request/bodies.js";
import { checkFields, checkFit, tidyBody } from "../request/check.js";
import { readConversation } from "../request/conversation.js";
import type { Body, TextEndpoint } from "../request/fields.js";
import { FORMS, type Form } from "../request/forms.js";
import type { Asked, BodyApi, Origins } from "./api.js";

interface ReadOptions {
  readonly isLenient: boolean;
  /** Gets the names of what has no effect. */
  readonly ignored: string[];
  /** Lets others be answered, if the request is long. */
  readonly pause: () => Promise<void>;
}

const NO_ORIGINS: Origins = new Map();

/** Reads the body of a request. Throws a `Refusal`. */
export async function readBody(api: BodyApi, sent: unknown, options: ReadOptions): Promise<Asked> {
  const { isLenient, ignored, pause } = options;
  await pause();
  const body = tidy(api.form, sent, options);
  await pause();
  if (!api.translate) {
    const endpoint = api.endpoint!;
    return { given: givenOf(endpoint, readFor(endpoint, body)), body, origins: NO_ORIGINS };
  }
  checkFit(api.form, body);
  await pause();
  const drop = (path: string, why: string): void => {
    if (!isLenient) throw unsupported(path, `is not supported: ${why}`);
    ignored.push(path);
  };
  const note = (path: string): void => void ignored.push(path);
  const { endpoint, body: translated, origins, instant } = api.translate(body, { drop, note });
  if (instant) return { given: givenOf(endpoint, translated), body, origins, instant };
  const own: string[] = [];
  await pause();
  try {
    const form = FORMS[endpoint];
    const given = readFor(endpoint, tidy(form, translated, { isLenient, ignored: own }));
    await pause();
    checkFit(form, given);
    return { given: givenOf(endpoint, given), body, origins };
  } catch (error) {
    throw error instanceof Refusal ? inClientsNames(error, origins) : error;
  } finally {
    for (const name of own) ignored.push(clientPath(name, origins));
  }
}

function tidy(form: Form, sent: unknown, { isLenient, ignored }: Pick<ReadOptions, "isLenient" | "ignored">): Body {
  const { body, ignored: dropped } = checkFields(form, sent, isLenient);
  for (const name of dropped) ignored.push(name);
  return tidyBody(form.schema, body, isLenient, ignored) as Body;
}

const readFor = (endpoint: TextEndpoint, body: Body): Body => (endpoint === "chat" ? readConversation(body) : body);

/** A body that fits the schema of its endpoint, or that Fastify will refuse. */
const givenOf = (endpoint: TextEndpoint, body: Body): GivenBody => ({ endpoint, body }) as unknown as GivenBody;

/** The path by which the client knows a part of the body. */
export function clientPath(path: string, origins: Origins): string {
  for (let end = path.length; end > 0; end = Math.max(path.lastIndexOf(".", end - 1), path.lastIndexOf("[", end - 1))) {
    const origin = origins.get(path.slice(0, end));
    if (origin !== undefined) return origin + path.slice(end);
  }
  return path;
}

/** A refusal that names the client's fields. */
export function inClientsNames(refusal: Refusal, origins: Origins): Refusal {
  if (origins.size === 0) return refusal;
  const { reason, message, param, diagnostics, retryAfter, cause } = refusal;
  const told = message.replace(
    /`([a-z_]+(?:[.[][\w.[\]]*)?)`/g,
    (_, path: string) => `\`${clientPath(path, origins)}\``,
  );
  return new Refusal(reason, told, {
    ...(param !== undefined && { param: clientPath(param, origins) }),
    ...(diagnostics && { diagnostics }),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(cause !== undefined && { cause }),
  });
}
