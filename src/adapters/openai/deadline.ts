export interface Deadline {
  /** Aborted when the time is over or the caller's signal is. */
  readonly signal: AbortSignal;
  /** Lets go of both signals; call it when the work is done. */
  release(): void;
}

/**
 * Joins a time-out and a caller's signal. `AbortSignal.any` is not used: on Node 20 a joined
 * time-out may be collected as garbage before it fires (nodejs/node#57736).
 */
export function startDeadline(timeout: AbortSignal, caller: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  const abort = () => controller.abort();
  if (timeout.aborted || caller?.aborted) abort();
  timeout.addEventListener("abort", abort);
  caller?.addEventListener("abort", abort);
  return {
    signal: controller.signal,
    release: () => {
      timeout.removeEventListener("abort", abort);
      caller?.removeEventListener("abort", abort);
    },
  };
}
