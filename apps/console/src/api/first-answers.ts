interface FirstAnswer {
  /** Of the request; empty without one. */
  readonly body: string;
  readonly answer: Promise<Response>;
}

declare global {
  /** By address; the script that sends the first requests is not the one that takes their answers. */
  var firstAnswers: Map<string, FirstAnswer> | undefined;
}

/** Sends a request that the page will make soon. */
export function sendEarly(path: string, content?: object): Promise<Response> {
  const body = content === undefined ? '' : JSON.stringify(content);
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  const answer = fetch(path, content === undefined ? {} : post);
  globalThis.firstAnswers ??= new Map();
  globalThis.firstAnswers.set(new URL(path, location.href).href, { body, answer });
  return answer;
}

/** As `fetch`, but takes the answer of the same request if it was sent early; once, as later it would be an old one. */
export async function fetchUnlessSent(request: Request): Promise<Response> {
  const first = globalThis.firstAnswers?.get(request.url);
  globalThis.firstAnswers?.delete(request.url);
  const isSame = first?.body === (await request.clone().text());
  return first && isSame ? first.answer : fetch(request);
}
