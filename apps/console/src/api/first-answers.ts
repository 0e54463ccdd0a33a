interface FirstAnswer {
  /** The body of the request; empty without one. */
  readonly body: string;
  readonly answer: Promise<Response>;
}

declare global {
  /** By address; the script that sends the first requests is not the one that takes their answers. */
  var firstAnswers: Map<string, FirstAnswer> | undefined;
}

/** Sends a request that the page will make soon. */
export function sendEarly(path: string, content?: object): void {
  const body = content === undefined ? '' : JSON.stringify(content);
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  const answer = fetch(path, content === undefined ? {} : post);
  answer.catch(() => undefined); // thrown to the page where it asks for it
  globalThis.firstAnswers ??= new Map();
  globalThis.firstAnswers.set(new URL(path, location.href).href, { body, answer });
}

/**
 * As `fetch`, but takes the answer of the same request if it was sent early; once, and not after any change, as later it
 * would be an old one.
 */
export async function fetchUnlessSent(request: Request): Promise<Response> {
  const first = globalThis.firstAnswers?.get(request.url);
  if (!first) {
    if (request.method !== 'GET') globalThis.firstAnswers = undefined;
    return fetch(request);
  }
  globalThis.firstAnswers?.delete(request.url);
  return first.body === (await request.clone().text()) ? first.answer : fetch(request);
}
