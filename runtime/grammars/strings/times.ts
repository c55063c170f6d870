/** Dates and times of RFC 3339. */
import { wholePattern } from "../patterns/pattern.js";
import { both, choice, sequence } from "../regular/items.js";
import { textOf, type Item } from "../text/rules.js";

const LEAP_YEAR = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)";
export const DATE =
  "(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))" +
  `|${LEAP_YEAR}-02-29)`;

const HOUR = "(?:[01][0-9]|2[0-3])";
const MINUTE = "[0-5][0-9]";
const FRACTION = "(?:\\.[0-9]+)?";
const two = (number: number): string => String(number).padStart(2, "0");

/** The second 60, which comes at 23:59 in UTC: the hours and the minutes of the time and of its zone belong together. */
function leapSecond(): Item {
  const [hour, minute] = [wholePattern(HOUR), wholePattern(MINUTE)];
  const second = wholePattern(`:60${FRACTION}`);
  const colon = textOf(":");
  // times of a zone of these hours, and of these minutes
  const ofHour = (sign: string, zone: number, time: number, minutes: Item): Item =>
    sequence(textOf(`${two(time)}:`), minute, second, textOf(`${sign}${two(zone)}:`), minutes);
  const ofMinute = (sign: string, zone: number, time: number): Item =>
    sequence(hour, colon, textOf(two(time)), second, textOf(sign), hour, textOf(`:${two(zone)}`));
  const hours = (sign: string, minutes: Item, timeOf: (zone: number) => number): Item =>
    choice(...Array.from({ length: 24 }, (_, zone) => ofHour(sign, zone, timeOf(zone), minutes)));
  const minutes = (sign: string, timeOf: (zone: number) => number): Item =>
    choice(...Array.from({ length: 60 }, (_, zone) => ofMinute(sign, zone, timeOf(zone))));
  const some = wholePattern("0[1-9]|[1-5][0-9]");
  return choice(
    sequence(textOf("23:59"), second, wholePattern("[Zz]")),
    // with minutes in the zone, the hour is the next one
    both(
      choice(
        hours("+", textOf("00"), (zone) => (23 + zone) % 24),
        hours("+", some, (zone) => zone),
      ),
      minutes("+", (zone) => (59 + zone) % 60),
    ),
    both(
      hours("-", minute, (zone) => 23 - zone),
      minutes("-", (zone) => 59 - zone),
    ),
  );
}

export const TIME = (): Item =>
  choice(wholePattern(`${HOUR}:${MINUTE}:${MINUTE}${FRACTION}(?:[Zz]|[+-]${HOUR}:${MINUTE})`), leapSecond());
export const DATE_TIME = (): Item => sequence(wholePattern(`${DATE}[Tt]`), TIME());

const SECONDS = "[0-9]+S";
const MINUTES = `[0-9]+M(?:${SECONDS})?`;
const DURATION_TIME = `T(?:[0-9]+H(?:${MINUTES})?|${MINUTES}|${SECONDS})`;
const DAYS = "[0-9]+D";
const MONTHS = `[0-9]+M(?:${DAYS})?`;
export const DURATION = `P(?:(?:[0-9]+Y(?:${MONTHS})?|${MONTHS}|${DAYS})(?:${DURATION_TIME})?|${DURATION_TIME}|[0-9]+W)`;
