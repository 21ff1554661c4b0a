/** Runs jobs of the same key one after another. */
export function queues(): <T>(key: string, job: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return (key, job) => {
    const before = last.get(key) ?? Promise.resolve();
    const result = before.then(job, job);
    last.set(key, result);
    const forget = () => {
      if (last.get(key) === result) last.delete(key);
    };
    result.then(forget, forget);
    return result;
  };
}
