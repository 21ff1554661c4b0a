/** What can go wrong with one request on purpose. `onMet` is called at the very moment. */
export type RestFault =
  /** An error answer; the request is not performed. */
  | { readonly kind: "status"; readonly status: number; readonly body: unknown }
  /** Discord asks to wait; the request is not performed. */
  | { readonly kind: "rateLimit"; readonly retryAfterSeconds: number; readonly isGlobal?: boolean }
  /** An HTML page as a proxy sends it; the request is not performed. */
  | { readonly kind: "html"; readonly status: number }
  /** The connection breaks before anything is done. */
  | { readonly kind: "resetBefore"; readonly onMet?: () => void }
  /** The request is performed and its answer lost. */
  | { readonly kind: "resetAfter"; readonly onMet?: () => void }
  /** The request is performed and answered with an error all the same. */
  | { readonly kind: "statusAfter"; readonly status: number; readonly body: unknown }
  /** The request waits until `release` settles, then goes on. */
  | { readonly kind: "delay"; readonly release: Promise<unknown> };

export interface FaultRule {
  readonly method: string;
  /** A route under the API root, `/channels/:id/messages`; `*` at the end matches any rest. */
  readonly route: string;
  /** Which matching request fails first, 1 by default. */
  readonly nth?: number;
  /** How many in a row fail from there, 1 by default. */
  readonly times?: number;
  readonly fault: RestFault;
}

interface ArmedRule extends FaultRule {
  seen: number;
}

/** Faults that wait for their request. Owned by one server. */
export class Faults {
  #rules: ArmedRule[] = [];

  /** Arms a fault; the returned function takes it back. */
  inject(rule: FaultRule): () => void {
    const armed: ArmedRule = { ...rule, seen: 0 };
    this.#rules.push(armed);
    return () => {
      this.#rules = this.#rules.filter((other) => other !== armed);
    };
  }

  clear(): void {
    this.#rules = [];
  }

  /** Counts the request against every rule and returns the faults that it meets. */
  take(method: string, path: string): readonly RestFault[] {
    const met: RestFault[] = [];
    for (const rule of this.#rules) {
      if (rule.method !== "*" && rule.method !== method) continue;
      if (!matchesRoute(rule.route, path)) continue;
      rule.seen += 1;
      const first = rule.nth ?? 1;
      if (rule.seen >= first && rule.seen < first + (rule.times ?? 1)) met.push(rule.fault);
    }
    return met;
  }
}

export function matchesRoute(route: string, path: string): boolean {
  const wanted = route.split("/");
  const actual = path.split("/");
  const isOpen = wanted.at(-1) === "*";
  if (isOpen ? actual.length < wanted.length : actual.length !== wanted.length) return false;
  return wanted.every(
    (step, index) => step === "*" || step.startsWith(":") || step === actual[index],
  );
}
