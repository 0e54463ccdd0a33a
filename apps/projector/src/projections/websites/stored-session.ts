import type { SessionHit } from '@ledgerline/domain/sessions/session-hit';
import {
  ATTRIBUTES,
  type Attribute,
  type Attributes,
  type Session,
  type SessionKind,
} from '@ledgerline/domain/sessions/session';
import type { BinaryRowReader } from '@ledgerline/platform/database/binary-row-reader';

/** The columns of the read model `sessions` a {@link StoredSession} is read from, in that order. */
export const STORED_COLUMNS = [
  ...['session', 'kind', 'first_at', 'last_at', 'entered_at', 'pageviews', 'custom_events', 'outgoing_links'],
  ...['bounced', 'duration_ms', 'entry_path', 'exit_path', ...ATTRIBUTES],
  ...['hit_at', 'hit_kind', 'hit_path', 'hit_text', 'hit_extra', 'hit_id'],
];

/** A session decoded from its row; attributes and hits only when they are read, as most of a long history never are. */
export class StoredSession implements Session {
  readonly id: string;
  readonly kind: SessionKind;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly enteredAt: number | null;
  readonly pageviews: number;
  readonly customEvents: number;
  readonly outgoingLinks: number;
  readonly bounced: boolean;
  readonly durationMs: number;
  readonly entryPath: number;
  readonly exitPath: number;
  private decodedAttributes: Attributes | undefined;
  private decodedHits: readonly SessionHit[] | undefined;

  /** Reads on from the first of the columns, and keeps the record. */
  constructor(private readonly record: BinaryRowReader) {
    this.id = record.uuid();
    this.kind = record.smallint() as SessionKind;
    this.firstAt = record.timestamp();
    this.lastAt = record.timestamp();
    this.enteredAt = record.timestampOrNull();
    this.pageviews = record.integer();
    this.customEvents = record.integer();
    this.outgoingLinks = record.integer();
    this.bounced = record.boolean();
    this.durationMs = record.bigint();
    this.entryPath = record.integer();
    this.exitPath = record.integer();
  }

  get attributes(): Attributes | undefined {
    const attributes = (this.decodedAttributes ??= readAttributes(this.record));
    return this.enteredAt === null ? undefined : attributes;
  }

  get hits(): readonly SessionHit[] {
    this.decodedAttributes ??= readAttributes(this.record); // they precede the hits
    return (this.decodedHits ??= readHits(this.record));
  }
}

/** Added in the order of ATTRIBUTES, so that these objects are of one shape with those of new page views. */
function readAttributes(record: BinaryRowReader): Attributes {
  const attributes: Partial<Record<Attribute, number>> = {};
  for (const name of ATTRIBUTES) attributes[name] = record.integer();
  return attributes as Attributes; // every one of them was read
}

function readHits(record: BinaryRowReader): SessionHit[] {
  const at = record.timestamps();
  const [kinds, paths, texts, extras] = [record.smallints(), record.integers(), record.integers(), record.integers()];
  const ids = record.placesOfUuids();
  return at.map((time, n) => {
    return new StoredHit(time, kinds[n] ?? 0, paths[n] ?? 0, texts[n] ?? 0, extras[n] ?? 0, record, ids[n] ?? 0);
  });
}

class StoredHit implements SessionHit {
  constructor(
    readonly at: number,
    readonly kind: number,
    readonly path: number,
    readonly text: number,
    readonly extra: number,
    private readonly record: BinaryRowReader,
    private readonly place: number,
  ) {}

  get id(): string {
    return this.record.uuidAt(this.place);
  }
}
