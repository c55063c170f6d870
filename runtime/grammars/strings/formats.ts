/** The formats of JSON Schema as languages, each by its RFC. */
import { budgeted, spend } from "../budget.js";
import { wholePattern } from "../patterns/pattern.js";
import { ANY_TEXT, sequence } from "../regular/items.js";
import type { Item } from "../text/rules.js";
import { idnHostname } from "./idn.js";
import { DATE, DATE_TIME, DURATION, TIME } from "./times.js";
import { IRI, IRI_REFERENCE, IPV4, IPV6, URI, URI_REFERENCE, URI_TEMPLATE } from "./uris.js";

interface Format {
  /** Where it is defined, and what is left out so that each text is valid for ajv-formats also. */
  readonly source: string;
  /** A regular expression of the whole value, or the language. */
  readonly language: string | (() => Item);
  /** Whether all other texts are invalid for the definition and for ajv-formats. */
  readonly isExact?: true;
}

const LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const WIDE_ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u{80}-\\u{10ffff}-]+";
const POINTER = "(?:/(?:[^~/]|~[01])*)*";

export const FORMATS: Readonly<Record<string, Format>> = {
  date: { source: "RFC 3339, full-date; 29 February in leap years only", language: DATE, isExact: true },
  time: { source: "RFC 3339, full-time; second 60 only where it is 23:59:60 in UTC", language: TIME },
  "date-time": { source: "RFC 3339, date-time", language: DATE_TIME },
  duration: { source: "RFC 3339, appendix A", language: DURATION },
  email: {
    source:
      "RFC 5321, Mailbox, with the lengths of section 4.5.3.1; without quoted texts, address literals and domains of one label, which ajv-formats does not know",
    language: `(?=[^@]{1,64}@)${ATOM}(?:\\.${ATOM})*@(?=.{1,253}$)(?:${LABEL}\\.)+${LABEL}`,
  },
  "idn-email": {
    source: "RFC 6531; without quoted texts and address literals",
    language: () => sequence(wholePattern(`(?=[^@]{1,64}@)${WIDE_ATOM}(?:\\.${WIDE_ATOM})*@`), idnHostname()),
  },
  hostname: {
    source: "RFC 1123, section 2.1; the Punycode of a label is not decoded",
    language: `(?=.{1,253}$)${LABEL}(?:\\.${LABEL})*`,
  },
  "idn-hostname": {
    source: "RFC 5890 to 5893; normal forms and the length of a label's Punycode are not checked",
    language: idnHostname,
  },
  ipv4: { source: "RFC 2673, section 3.2", language: IPV4, isExact: true },
  ipv6: { source: "RFC 4291, section 2.2", language: IPV6, isExact: true },
  uri: {
    source: "RFC 3986; without a scheme that nothing but a query or fragment follows, which ajv-formats refuses",
    language: URI,
  },
  "uri-reference": { source: "RFC 3986", language: URI_REFERENCE },
  iri: { source: "RFC 3987", language: IRI },
  "iri-reference": { source: "RFC 3987", language: IRI_REFERENCE },
  "uri-template": { source: "RFC 6570; without dots in names, which ajv-formats refuses", language: URI_TEMPLATE },
  uuid: { source: "RFC 4122", language: "[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}" },
  "json-pointer": { source: "RFC 6901", language: POINTER, isExact: true },
  "relative-json-pointer": {
    source: "Relative JSON Pointers, without a change of the index, which ajv-formats refuses",
    language: `(?:0|[1-9][0-9]*)(?:#|${POINTER})`,
  },
  regex: { source: "any text: regular expressions are no regular language", language: () => ANY_TEXT },
};

/** Whether the texts that are not in the language of a format are those that are invalid for it. */
export const isExactFormat = (name: string): boolean => Object.hasOwn(FORMATS, name) && FORMATS[name]!.isExact === true;

const made = new Map<string, Item>();

/** The values of a format; undefined for a name that is not known, which says nothing about a value. */
export function formatItem(name: string): Item | undefined {
  if (!Object.hasOwn(FORMATS, name)) return undefined;
  spend();
  const { language } = FORMATS[name]!;
  // made once, so the source that is read does not pay for it
  const item =
    made.get(name) ??
    budgeted(`the format "${name}"`, () => (typeof language === "string" ? wholePattern(language) : language()));
  made.set(name, item);
  return item;
}
