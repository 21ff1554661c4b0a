import type { ThreadRecord } from "../world/records.js";
import type { Form } from "./form.js";

export function readArchiveMinutes(form: Form): ThreadRecord["autoArchiveMinutes"] | undefined {
  return form.oneOf("auto_archive_duration", [60, 1440, 4320, 10080]);
}
