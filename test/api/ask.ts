import { Agent } from 'node:http';
import request from 'supertest';
import type { TestApi } from './test-api';

/** An answer with what its body holds by name, for whoever asserts on it. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly cookies: readonly string[];
  readonly text: string;
}

type Method = 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE' | 'PUT' | 'OPTIONS';

/** Connections are used again, as a new one costs as much as a request. */
const agent = new Agent({ keepAlive: true });

/** One request to the api, with a JSON body where one is given. */
export async function ask(
  api: TestApi,
  route: `${Method} ${string}`,
  { body, headers = {} }: { body?: object | string; headers?: Readonly<Record<string, string>> } = {},
): Promise<Answer> {
  const [method, path] = route.split(' ') as [Method, string];
  const server = request(api.app.getHttpServer());
  const started = server[method.toLowerCase() as Lowercase<Method>](path).agent(agent).set(headers);
  const answer = await (body === undefined ? started : started.send(body));
  const cookies = answer.headers['set-cookie'] as unknown as string[] | undefined; // supertest types it as one string
  const received: unknown = answer.body;
  const image = Buffer.isBuffer(received) ? received : undefined;
  return {
    status: answer.status,
    headers: answer.headers,
    body: (image ? {} : (received ?? {})) as Record<string, unknown>, // null = no session
    cookies: cookies ?? [],
    text: image?.toString() ?? answer.text,
  };
}
