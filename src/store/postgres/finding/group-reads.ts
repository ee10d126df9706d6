/**
 * Reads that are asked for in one turn of the event loop go out as one: a commit that changes fifty jobs makes all who wait for one of them
 * look at once.
 */
export function groupReads<Id, Value>(
  load: (ids: readonly Id[]) => Promise<ReadonlyMap<Id, Value>>,
): (id: Id) => Promise<Value | undefined> {
  let waiting = new Set<Id>();
  let reading: Promise<ReadonlyMap<Id, Value>> | undefined;
  const begin = async (): Promise<ReadonlyMap<Id, Value>> => {
    await new Promise(setImmediate);
    const ids = [...waiting];
    waiting = new Set();
    reading = undefined;
    return load(ids);
  };
  return async (id) => {
    waiting.add(id);
    reading ??= begin();
    return (await reading).get(id);
  };
}
