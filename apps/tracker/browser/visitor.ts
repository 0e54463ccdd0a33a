const keyOf = (isKept: boolean) => (isKept ? 'ledgerline' : 'ledgerline-reset');

/**
 * The id of this browser, where the page keeps one or has been reset in it: without it the tracking host makes one from
 * address and user agent.
 */
export function visitorId(isKept: boolean): string | undefined {
  try {
    const known = localStorage.getItem(keyOf(isKept)) ?? (isKept ? randomId() : undefined);
    if (known !== undefined) localStorage.setItem(keyOf(isKept), known);
    return known;
  } catch {
    return undefined; // storage is switched off
  }
}

/**
 * Another id from now on. It is kept also where the page keeps none, because the id that the tracking host makes stays that
 * of the person who was identified.
 */
export function resetVisitorId(isKept: boolean): string {
  const id = randomId();
  try {
    localStorage.setItem(keyOf(isKept), id);
  } catch {
    // storage is switched off: the id is that of this document
  }
  return id;
}

/** 128 random bits as hex. `crypto.randomUUID` exists only on secure origins. */
export function randomId(): string {
  let id = '';
  for (const byte of crypto.getRandomValues(new Uint8Array(16))) id += byte.toString(16).padStart(2, '0');
  return id;
}
