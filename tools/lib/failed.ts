/** What `npm test` lists at its end of tests that failed, so that the end of its output says it, however long that is. */
import type { TestFile } from "./skipped.js";

/** A file, with jest's message where it could not run at all. */
type File = Pick<TestFile, "name" | "assertionResults"> & { readonly status?: string; readonly message?: string };

/** A line for each failed test, and one for each file that failed without one; paths are relative to `root`. */
export const failedTests = (files: readonly File[], root: string): string[] =>
  files.flatMap(({ name, status, message = "", assertionResults }) => {
    const path = name.replace(`${root}/`, "");
    const failed = assertionResults.filter((one) => one.status === "failed");
    if (failed.length > 0) return failed.map((one) => `${path}: ${[...one.ancestorTitles, one.title].join(" > ")}`);
    return status === "failed" ? [`${path}: ${message.trim().split("\n", 1)[0]}`] : [];
  });
