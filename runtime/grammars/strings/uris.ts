/** Addresses as regular expressions: those of hosts, and the identifiers of RFC 3986, 3987 and 6570. */
const BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
export const IPV4 = `${BYTE}(?:\\.${BYTE}){3}`;

const GROUP = "[0-9A-Fa-f]{1,4}";
/** At most so many groups with colons between them. */
const groups = (most: number): string => (most === 0 ? "" : `(?:${GROUP}(?::${GROUP}){0,${most - 1}})?`);
/** With an address of version 4 in place of the last two. */
const groupsWithEnd = (most: number): string =>
  most < 2 ? groups(most) : `(?:${groups(most)}|(?:${GROUP}:){0,${most - 2}}${IPV4})`;
const some = (count: number): string => (count === 0 ? "" : `${GROUP}(?::${GROUP}){${count - 1}}`);
/** `::` stands for one group or more. */
export const IPV6 = `(?:(?:${GROUP}:){7}${GROUP}|(?:${GROUP}:){6}${IPV4}|${[0, 1, 2, 3, 4, 5, 6, 7]
  .map((before) => `${some(before)}::${groupsWithEnd(7 - before)}`)
  .join("|")})`;

/** What RFC 3987 adds to the characters of a URI. */
const WIDE = `\\u{a0}-\\u{d7ff}\\u{f900}-\\u{fdcf}\\u{fdf0}-\\u{ffef}${Array.from({ length: 14 }, (_, plane) => {
  const first = (plane + 1) * 0x10000 + (plane === 13 ? 0x1000 : 0);
  return `\\u{${first.toString(16)}}-\\u{${((plane + 1) * 0x10000 + 0xfffd).toString(16)}}`;
}).join("")}`;
const PRIVATE = "\\u{e000}-\\u{f8ff}\\u{f0000}-\\u{ffffd}\\u{100000}-\\u{10fffd}";
const HEX = "[0-9A-Fa-f]";
const ESCAPED = `%${HEX}{2}`;
const SUB_DELIMITERS = "!$&'()*+,;=";

interface Identifiers {
  readonly whole: string;
  readonly reference: string;
}

/** @param wide characters above ASCII; `wideInQuery`: those that are in queries only */
function identifiers(wide: string, wideInQuery: string, canBeEmpty: boolean): Identifiers {
  const plain = `A-Za-z0-9._~${wide}${SUB_DELIMITERS}`;
  const one = (more: string): string => `(?:[${plain}${more}-]|${ESCAPED})`;
  const segment = one(":@");
  const scheme = "[A-Za-z][A-Za-z0-9+.-]*:";
  const future = `[Vv]${HEX}+\\.[A-Za-z0-9._~${SUB_DELIMITERS}:-]+`;
  const host = `(?:\\[(?:${IPV6}|${future})\\]|${one("")}*)`;
  const authority = `//(?:${one(":")}*@)?${host}(?::[0-9]*)?(?:/${segment}*)*`;
  const absolute = `/(?:${segment}+(?:/${segment}*)*)?`;
  const rootless = `${segment}+(?:/${segment}*)*`;
  const withoutScheme = `${one("@")}+(?:/${segment}*)*`;
  const end = `(?:\\?(?:[${plain}${wideInQuery}:@/?-]|${ESCAPED})*)?(?:#(?:[${plain}:@/?-]|${ESCAPED})*)?`;
  const path = `(?:${authority}|${absolute}|${rootless})`;
  return {
    whole: `${scheme}${path}${canBeEmpty ? "?" : ""}${end}`,
    reference: `(?:${scheme}${path}?|(?:${authority}|${absolute}|${withoutScheme})?)${end}`,
  };
}

export const { whole: URI, reference: URI_REFERENCE } = identifiers("", "", false);
export const { whole: IRI, reference: IRI_REFERENCE } = identifiers(WIDE, PRIVATE, true);

const VARIABLE = `(?:[A-Za-z0-9_]|${ESCAPED})+(?::[1-9][0-9]{0,3}|\\*)?`;
export const URI_TEMPLATE =
  `(?:[!#$&(-;=?-\\[\\]_a-z~${WIDE}${PRIVATE}]|${ESCAPED}|` + `\\{[+#./;?&=,!@|]?${VARIABLE}(?:,${VARIABLE})*\\})*`;
