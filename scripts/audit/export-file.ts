import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { AuditLogExported } from '@ledgerline/contracts/events/audit-log.events';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import type { SealedLink } from '@ledgerline/platform/event-store/appended-events';
import {
  exportText,
  readHeadLine,
  readLinkLine,
  untilChained,
  untilSigned,
} from '@ledgerline/platform/event-store/audit-export';
import { type EventStore, exportStream } from '@ledgerline/platform/event-store/event-store';
import type { HeadSigner } from '@ledgerline/platform/event-store/head-signer';
import type { SignedHead } from '@ledgerline/platform/event-store/head-statement';
import { newPrefixedId } from '../../apps/api/src/commands/command-context';
import { recordBySystem } from './record-by-system';

/** A line that no export has. */
export class MalformedLine extends Error {
  constructor(
    readonly line: number,
    message: string,
  ) {
    super(message);
    this.name = 'MalformedLine';
  }
}

/** A place of the chain and the line it is on, from 1. */
export interface NumberedLink {
  readonly line: number;
  readonly link: SealedLink;
}

/** Matches what npm prints before the output of a script. */
const BEFORE_EXPORT = /^(> .*)?$/;
const NPM_PRINTS = 'it is no line of an export; "npm run --silent" prints the export alone.';

/** The signed head, which is the first line. @throws MalformedLine */
export async function readHead(path: string): Promise<SignedHead> {
  for await (const { line, text } of lines(path)) {
    const head = readHeadLine(text);
    if (head) return head;
    throw new MalformedLine(
      line,
      BEFORE_EXPORT.test(text) ? NPM_PRINTS : 'it does not begin an export as NDJSON, or was changed.',
    );
  }
  throw new MalformedLine(1, 'the file is empty.');
}

/** The places in the order of the file, newest first. @throws MalformedLine */
export async function* readLinks(path: string): AsyncGenerator<NumberedLink, void> {
  let isFirst = true;
  let above = '';
  for await (const { line, text, isCut } of lines(path)) {
    if (!isFirst) {
      const link = readLinkLine(text);
      if (!link && isCut) throw new MalformedLine(line, `the file ends within it: it was cut off${above}.`);
      if (!link) throw new MalformedLine(line, `it was changed: no export has such a line${above}.`);
      above = `; the line above is place ${link.chain.revision}`;
      yield { line, link };
    }
    isFirst = false;
  }
}

interface Line {
  readonly line: number;
  readonly text: string;
  /** No line break follows. */
  readonly isCut: boolean;
}

const NEWLINE = 0x0a;

/** A line that is not UTF-8 is not an export's: decoding would replace what was changed. */
export async function* lines(path: string): AsyncGenerator<Line, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let line = 0;
  const decoded = (bytes: Buffer, isCut = false): Line => {
    line += 1;
    try {
      return { line, text: decoder.decode(bytes), isCut };
    } catch {
      throw new MalformedLine(line, 'it was changed: it is not UTF-8.');
    }
  };
  let rest: Buffer = Buffer.alloc(0);
  const chunks: AsyncIterable<Buffer> = createReadStream(path);
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE, start)) {
      yield decoded(rest.subarray(start, end));
      start = end + 1;
    }
    rest = rest.subarray(start);
  }
  if (rest.length > 0) yield decoded(rest, true);
}

/** Records the export as done by the system, then writes it. @throws StartFailure for an unknown organization */
export async function exportHistory(
  store: EventStore,
  signer: HeadSigner,
  organizationId: string,
  output: NodeJS.WritableStream,
): Promise<void> {
  if ((await store.readBack({ organization: organizationId, limit: 1 })).length === 0)
    throw new StartFailure(`There is no organization "${organizationId}" in the event store.`);
  const revision = await untilChained(store, organizationId, await recordExport(store, organizationId));
  await untilSigned(signer, organizationId, revision);
  const head = await signer.signedHead(organizationId);
  if (!head) throw new StartFailure('No event is signed yet; is the projector running?');
  await pipeline(Readable.from(exportText(store, head)), output, { end: false });
}

/** Answers the id of the command. */
function recordExport(store: EventStore, organizationId: string): Promise<string> {
  const exportId = newPrefixedId('exp');
  const data = { organizationId, exportId, format: 'ndjson', filter: {} } satisfies AuditLogExported['data'];
  const stream = exportStream(organizationId, exportId);
  return recordBySystem(store, stream, 'ExportAuditLog', { type: 'AuditLogExported', data });
}
