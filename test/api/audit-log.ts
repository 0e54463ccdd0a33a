import type { AuditEntryDto } from '../../apps/api/src/audit/audit-log.dto';
import { ask, type Answer } from './ask';
import type { TestApi } from './test-api';

type Headers = Readonly<Record<string, string>>;

interface AuditReader {
  readonly organizationId: string;
  readonly headers: Headers;
}

/** One request for a page of the audit log. */
export function askAuditLog(
  api: TestApi,
  { organizationId, headers }: AuditReader,
  query: Readonly<Record<string, string | number | undefined>> = {},
): Promise<Answer> {
  const search = new URLSearchParams({ organizationId });
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return ask(api, `GET /v1/audit-log?${search.toString()}`, { headers });
}

/** Every entry that matches, page after page. */
export async function readAuditLog(
  api: TestApi,
  reader: AuditReader,
  query: Readonly<Record<string, string | number>> = {},
): Promise<AuditEntryDto[]> {
  const entries: AuditEntryDto[] = [];
  for (let cursor: string | undefined; ;) {
    const { status, body, text } = await askAuditLog(api, reader, { ...query, cursor });
    if (status !== 200) throw new Error(text);
    entries.push(...(body.data as AuditEntryDto[]));
    if (body.hasMore !== true) return entries;
    cursor = body.nextCursor as string;
  }
}
