import type { OpenAPIObject } from '@nestjs/swagger';
import type { Operation } from '../discovery/document';
import { LANGUAGES, type Language } from './sample-languages';
import { sampleRequest } from './sample-request';

/** A program of each language. */
export type Samples = Readonly<Record<Language, string>>;

export const SAMPLES_SCHEMA = {
  type: 'object',
  description: 'By operation, as `get /v1/links`: a program of each language',
  additionalProperties: {
    type: 'object',
    properties: Object.fromEntries(Object.keys(LANGUAGES).map((language) => [language, { type: 'string' }])),
    required: Object.keys(LANGUAGES),
  },
};

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Programs that make the request of the examples of each operation. */
export function samplesOf({ paths, servers = [], components }: OpenAPIObject): Readonly<Record<string, Samples>> {
  const { session } = components?.securitySchemes ?? {};
  const cookie = session && 'name' in session ? String(session.name) : '';
  const entries = Object.entries(paths).flatMap(([path, routes]) =>
    METHODS.flatMap((method) => {
      const operation: Operation | undefined = routes[method];
      if (!operation) return [];
      const server = (operation.servers ?? servers)[0]?.url ?? '';
      const request = sampleRequest({ server, path, method, operation, cookie });
      const programs = Object.entries(LANGUAGES).map(([language, write]) => [language, write(request)]);
      return [[`${method} ${path}`, Object.fromEntries(programs) as Samples] as const];
    }),
  );
  return Object.fromEntries(entries);
}
