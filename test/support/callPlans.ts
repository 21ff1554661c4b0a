/** What a double is told about its coming calls: that one fails, or that one waits. */

/** Whether the call does its work and then fails, or fails without having done anything. */
export type FailureTime = "before" | "after";

/** A call that waits. */
export interface Held {
  /** Resolves when the call has arrived and waits; nothing was performed yet. */
  readonly reached: Promise<void>;
  /** Lets it go on. */
  release(): void;
}

interface Plan {
  readonly failure: { readonly error: Error; readonly time: FailureTime } | null;
  readonly gate: Promise<void> | null;
  readonly reached: () => void;
}

export class CallPlans<Method extends string> {
  /** Every call, in order, also those that failed. */
  readonly calls: Method[] = [];
  readonly #plans = new Map<Method, Plan[]>();

  failNext(method: Method, error: Error, time: FailureTime): void {
    this.#add(method, { failure: { error, time }, gate: null, reached: () => undefined });
  }

  holdNext(method: Method): Held {
    const arrival = deferred<void>();
    const gate = deferred<void>();
    this.#add(method, { failure: null, gate: gate.promise, reached: arrival.resolve });
    return { reached: arrival.promise, release: gate.resolve };
  }

  /** Does `act` as the oldest plan for this method says; as it is when there is none. */
  async perform<T>(method: Method, signal: AbortSignal | null, act: () => T): Promise<T> {
    this.calls.push(method);
    signal?.throwIfAborted();
    const plan = this.#plans.get(method)?.shift();
    if (plan !== undefined && plan.gate !== null) {
      plan.reached();
      await unlessAborted(plan.gate, signal);
    }
    if (plan?.failure?.time === "before") throw plan.failure.error;
    const result = act();
    if (plan?.failure?.time === "after") throw plan.failure.error;
    return result;
  }

  #add(method: Method, plan: Plan): void {
    this.#plans.set(method, [...(this.#plans.get(method) ?? []), plan]);
  }
}

export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
}

/** A promise that is settled from outside. */
export function deferred<T>(): Deferred<T> {
  let settle: Omit<Deferred<T>, "promise"> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  if (settle === undefined) throw new Error("A promise runs its function at once.");
  return { promise, ...settle };
}

/** Waits for the promise; rejects with the signal's reason when that comes first. */
export async function unlessAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal | null,
): Promise<T> {
  if (signal === null) return promise;
  const aborted = deferred<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
