/** Dates in templates: Python's `strftime` in the locale C, in local time. */

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  ...["January", "February", "March", "April", "May", "June"],
  ...["July", "August", "September", "October", "November", "December"],
];

const padded = (value: number, width = 2): string => String(value).padStart(width, "0");
const hour12 = (date: Date): number => date.getHours() % 12 || 12;
const dayOfYear = (date: Date): number =>
  Math.round(
    (Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) - Date.UTC(date.getFullYear(), 0, 0)) / 864e5,
  );

const FORMATS: Readonly<Record<string, (date: Date) => string>> = {
  Y: (date) => String(date.getFullYear()),
  y: (date) => padded(date.getFullYear() % 100),
  m: (date) => padded(date.getMonth() + 1),
  d: (date) => padded(date.getDate()),
  e: (date) => String(date.getDate()).padStart(2),
  j: (date) => padded(dayOfYear(date), 3),
  B: (date) => MONTHS[date.getMonth()]!,
  b: (date) => MONTHS[date.getMonth()]!.slice(0, 3),
  h: (date) => MONTHS[date.getMonth()]!.slice(0, 3),
  A: (date) => DAYS[date.getDay()]!,
  a: (date) => DAYS[date.getDay()]!.slice(0, 3),
  w: (date) => String(date.getDay()),
  H: (date) => padded(date.getHours()),
  I: (date) => padded(hour12(date)),
  M: (date) => padded(date.getMinutes()),
  S: (date) => padded(date.getSeconds()),
  p: (date) => (date.getHours() < 12 ? "AM" : "PM"),
  F: (date) => strftime(date, "%Y-%m-%d"),
  T: (date) => strftime(date, "%H:%M:%S"),
  D: (date) => strftime(date, "%m/%d/%y"),
  R: (date) => strftime(date, "%H:%M"),
  n: () => "\n",
  t: () => "\t",
  "%": () => "%",
};

/** Unknown directives stay as they are; `%-d` is `%d` without leading zeros. */
export const strftime = (date: Date, format: string): string =>
  format.replace(/%(-?)([A-Za-z%])/g, (all, dash: string, name: string) => {
    const text = FORMATS[name]?.(date);
    if (text === undefined) return all;
    return dash === "" ? text : text.replace(/^[0 ]+(?=.)/, "");
  });
