import type { Client as Routes } from 'openapi-fetch';
import { dataOf } from './api-error.js';
import type { AuditProgressDto, AuditVerdictDto, paths } from './schema.js';

export interface VerifyOptions extends Pick<RequestInit, 'signal'> {
  /** Called a few times a second. */
  readonly onProgress?: (progress: AuditProgressDto) => void;
}

/** @throws ApiError when it is refused · Error when the answer ends without a verdict */
export async function verifyAuditLog(
  routes: Routes<paths, 'application/json'>,
  organizationId: string,
  { onProgress, ...init }: VerifyOptions = {},
): Promise<AuditVerdictDto> {
  const params = { query: { organizationId, format: 'ndjson' as const } };
  const body = await dataOf(routes.GET('/v1/audit-log/verify', { ...init, params, parseAs: 'stream' }));
  for await (const line of linesOf(body)) {
    const entry = JSON.parse(line) as AuditProgressDto | AuditVerdictDto;
    if ('valid' in entry) return entry;
    onProgress?.(entry);
  }
  throw new Error('The verification ended without a verdict');
}

async function* linesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string, void> {
  if (!body) return;
  const reader = body.getReader(); // not every browser iterates over a stream
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
      const lines = (text + decoder.decode(value, { stream: true })).split('\n');
      text = lines.pop() ?? '';
      yield* lines;
    }
  } finally {
    await reader.cancel();
  }
}
