import { type FieldError, invalidForm } from "../errors.js";
import { isSnowflake } from "../world/snowflakes.js";

export type JsonObject = Readonly<Record<string, unknown>>;

export interface TextRule {
  readonly min?: number;
  readonly max?: number;
}

/** Reads a body field by field, gathers what is wrong, and refuses once with all of it. */
export class Form {
  readonly #body: JsonObject;
  readonly #prefix: string;
  readonly #errors: FieldError[];

  constructor(body: JsonObject, prefix = "", errors: FieldError[] = []) {
    this.#body = body;
    this.#prefix = prefix;
    this.#errors = errors;
  }

  has(key: string): boolean {
    return this.#body[key] !== undefined;
  }

  isNull(key: string): boolean {
    return this.#body[key] === null;
  }

  wrong(key: string, code: string, message: string): void {
    this.#errors.push({ path: this.#path(key), code, message });
  }

  fail(error: FieldError | undefined): void {
    if (error) this.#errors.push(error);
  }

  /** Throws 50035 when anything was wrong. */
  check(): void {
    if (this.#errors.length > 0) throw invalidForm(this.#errors);
  }

  required(key: string): void {
    if (this.#body[key] === undefined || this.#body[key] === null) {
      this.wrong(key, "BASE_TYPE_REQUIRED", "This field is required");
    }
  }

  /** undefined when the field is absent, null or wrong. */
  text(key: string, rule: TextRule = {}): string | undefined {
    const value = this.#body[key];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== "string" && typeof value !== "number") {
      this.wrong(key, "STRING_TYPE_CONVERT", "Could not interpret value as string.");
      return undefined;
    }
    const text = String(value);
    const { min = 0, max = Number.POSITIVE_INFINITY } = rule;
    if (text.length < min || text.length > max) {
      const isMaxOnly = min === 0;
      this.wrong(
        key,
        isMaxOnly ? "BASE_TYPE_MAX_LENGTH" : "BASE_TYPE_BAD_LENGTH",
        isMaxOnly
          ? `Must be ${max} or fewer in length.`
          : `Must be between ${min} and ${max} in length.`,
      );
      return undefined;
    }
    return text;
  }

  integer(key: string, min: number, max: number): number | undefined {
    const value = this.#body[key];
    if (value === undefined || value === null) return undefined;
    const number = typeof value === "string" && /^-?\d+$/.test(value) ? Number(value) : value;
    if (typeof number !== "number" || !Number.isInteger(number)) {
      this.wrong(key, "NUMBER_TYPE_COERCE", `Value "${show(value)}" is not int.`);
      return undefined;
    }
    if (number < min) {
      this.wrong(key, "NUMBER_TYPE_MIN", `int value should be greater than or equal to ${min}.`);
      return undefined;
    }
    if (number > max) {
      this.wrong(key, "NUMBER_TYPE_MAX", `int value should be less than or equal to ${max}.`);
      return undefined;
    }
    return number;
  }

  oneOf<const T extends number | string>(key: string, choices: readonly T[]): T | undefined {
    const value = this.#body[key];
    if (value === undefined || value === null) return undefined;
    const choice = choices.find((candidate) => candidate === value);
    if (choice === undefined) {
      this.wrong(key, "BASE_TYPE_CHOICES", `Value must be one of {${choices.join(", ")}}.`);
    }
    return choice;
  }

  bool(key: string): boolean | undefined {
    const value = this.#body[key];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== "boolean") {
      this.wrong(key, "BOOLEAN_TYPE_CONVERT", "Must be either true or false.");
      return undefined;
    }
    return value;
  }

  id(key: string): string | undefined {
    const value = this.#body[key];
    if (value === undefined || value === null) return undefined;
    if ((typeof value !== "string" && typeof value !== "number") || !isSnowflake(String(value))) {
      this.wrong(key, "NUMBER_TYPE_COERCE", `Value "${show(value)}" is not snowflake.`);
      return undefined;
    }
    return String(value);
  }

  list(key: string, max: number): readonly unknown[] | undefined {
    const value = this.#body[key];
    if (value === undefined || value === null) return undefined;
    if (!Array.isArray(value)) {
      this.wrong(key, "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType");
      return undefined;
    }
    if (value.length > max) {
      this.wrong(key, "BASE_TYPE_MAX_LENGTH", `Must be ${max} or fewer in length.`);
      return undefined;
    }
    return value;
  }

  /** The object under `key`, read with the same error list. */
  object(key: string): Form | undefined {
    const value = this.#body[key];
    if (value === undefined || value === null) return undefined;
    if (!isObject(value)) {
      this.wrong(key, "MODEL_TYPE_CONVERT", "Only dictionaries may be used in a ModelType");
      return undefined;
    }
    return new Form(value, this.#path(key), this.#errors);
  }

  /** The objects of the list under `key`. */
  objects(key: string, max: number): readonly Form[] | undefined {
    const values = this.list(key, max);
    return values?.flatMap((value, index) => {
      if (isObject(value)) return [new Form(value, this.#path(`${key}.${index}`), this.#errors)];
      this.wrong(
        `${key}.${index}`,
        "MODEL_TYPE_CONVERT",
        "Only dictionaries may be used in a ModelType",
      );
      return [];
    });
  }

  /** The same form as if `key` had not been sent. */
  without(key: string): Form {
    const { [key]: _dropped, ...rest } = this.#body;
    return new Form(rest, this.#prefix, this.#errors);
  }

  /** The body as it came. */
  get raw(): JsonObject {
    return this.#body;
  }

  #path(key: string): string {
    return this.#prefix === "" ? key : `${this.#prefix}.${key}`;
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The text under a key of a body that is not checked further; empty when it is none. */
export function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function show(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
