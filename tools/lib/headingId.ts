/** The anchor of a heading, as code hosts make it: what is no letter, digit, `_`, `-` or space goes, and spaces become `-`. */
export const headingId = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");
