import type { Form } from "./form.js";

const SCHEMES = ["http:", "https:"];

/** Discord takes web addresses only; returns what was sent. */
export function checkUrl(form: Form, key: string, max: number): string | undefined {
  const text = form.text(key, { min: 1, max });
  if (text === undefined) return undefined;
  if (!URL.canParse(text)) {
    form.wrong(key, "URL_TYPE_INVALID_URL", "Not a well formed URL.");
  } else if (!SCHEMES.includes(new URL(text).protocol)) {
    form.wrong(
      key,
      "URL_TYPE_INVALID_SCHEME",
      `Scheme "${new URL(text).protocol}" is not supported. Scheme must be one of ('http', 'https').`,
    );
  }
  return text;
}
