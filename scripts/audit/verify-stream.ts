import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual } from 'node:util';
import { audited, auditedActor } from '@ledgerline/domain/audit/audited-events';
import { GENESIS, isConsistent } from '@ledgerline/platform/event-store/appended-events';
import { readHeadLine, readStreamLine } from '@ledgerline/platform/event-store/audit-export';
import { asDecided, type Hash, streamOrganization } from '@ledgerline/platform/event-store/event-store';
import { type SignedHead, verifySignedHead } from '@ledgerline/platform/event-store/head-statement';
import type { Known } from './verify-file';

interface StreamVerdict {
  readonly organization?: string;
  /** The first and the last place of the stream; absent where it has none. */
  readonly from?: number;
  readonly to?: number;
  /** Lines that came again, as what is sent again does. */
  readonly repeated: number;
  /** Up to this place it is what was signed; absent where no head of a known key shows it. */
  readonly signedTo?: number;
  readonly fault?: { readonly line?: number; readonly message: string };
}

/** Proves what an audit stream has sent, as it was stored, line by line; needs no store and no network. */
export async function verifyStream(path: string, known: Known): Promise<StreamVerdict> {
  const walk = new StreamWalk(known);
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Infinity });
  let number = 0;
  for await (const line of lines) {
    number += 1;
    const message = line === '' ? undefined : walk.see(line);
    if (message !== undefined) return { ...walk.verdict(), fault: { line: number, message } };
  }
  const message = walk.end();
  return message === undefined ? walk.verdict() : { ...walk.verdict(), fault: { message } };
}

/** Follows the chain upwards. Its methods answer what is wrong. */
class StreamWalk {
  private organization: string | undefined;
  private from: number | undefined;
  private repeated = 0;
  private signedTo: number | undefined;
  /** The hashes of the places from the first one on. */
  private readonly hashes: Hash[] = [];

  constructor(private readonly known: Known) {}

  private get next(): number {
    return (this.from ?? 0) + this.hashes.length;
  }

  see(line: string): string | undefined {
    const head = readHeadLine(line);
    if (head) return this.seeHead(head);
    const read = readStreamLine(line);
    return read ? this.seeEvent(read) : 'it is not written as an audit stream writes it.';
  }

  end(): string | undefined {
    const missed = this.known.heads.map((head) => this.contradiction(head)).find((message) => message !== undefined);
    if (missed !== undefined) return missed;
    return this.from === undefined ? 'there is no event in it.' : undefined;
  }

  verdict(): StreamVerdict {
    const { organization, from, repeated, signedTo } = this;
    return {
      repeated,
      ...(organization === undefined ? {} : { organization }),
      ...(from === undefined ? {} : { from, to: this.next - 1 }),
      ...(signedTo === undefined ? {} : { signedTo }),
    };
  }

  private seeEvent({ link, said }: NonNullable<ReturnType<typeof readStreamLine>>): string | undefined {
    const { revision, hash, previousHash } = link.chain;
    this.organization ??= streamOrganization(link.stream);
    this.from ??= revision;
    if (streamOrganization(link.stream) !== this.organization) return 'it is of another organization than those above.';
    if (!isConsistent(link)) return `place ${revision} was changed: it is not what was recorded.`;
    const { action, target } = audited(link, asDecided({ ...link, cursor: '', recordedAt: new Date(0) }));
    const expected = { action, actor: auditedActor(link.metadata), target: { type: target.type, id: target.id } };
    if (!isDeepStrictEqual(said, expected)) return `what it says of place ${revision} is not what its event holds.`;
    if (revision > this.next) return `${placesIn(this.next, revision - 1)} missing before it.`;
    const known = revision < this.from ? undefined : this.hashes[revision - this.from];
    if (revision < this.next) {
      this.repeated += 1;
      return known === hash ? undefined : `place ${revision} is not what it was above.`;
    }
    const before = this.hashes.at(-1) ?? (revision === 0 ? GENESIS : previousHash);
    if (previousHash !== before) return `place ${revision} does not follow on the one before it.`;
    this.hashes.push(hash);
    return undefined;
  }

  private seeHead(head: SignedHead): string | undefined {
    const { keys } = this.known;
    const signature = keys.size === 0 ? 'unchecked' : verifySignedHead(head, keys);
    if (signature === 'invalid') return `the head was changed, or its signature was not made with key ${head.keyId}.`;
    if (signature === 'unknown_key')
      return `the head is signed with key ${head.keyId}, which is none of the given public keys.`;
    const message = this.contradiction(head);
    if (message === undefined && signature === 'valid') this.signedTo = Math.max(this.signedTo ?? -1, head.revision);
    return message;
  }

  private contradiction({ organization, revision, hash }: SignedHead): string | undefined {
    if (this.organization !== undefined && organization !== this.organization)
      return `a head is of ${organization}, and the events are of ${this.organization}.`;
    if (revision >= this.next) return `${placesIn(this.next, revision)} missing, which a signed head names.`;
    const found = this.hashes[revision - (this.from ?? 0)];
    return found === undefined || found === hash ? undefined : `place ${revision} is not the one that was signed.`;
  }
}

const placesIn = (from: number, to: number): string =>
  from === to ? `place ${from} is` : `places ${from} to ${to} are`;

/** A verdict in words, for people. */
export function describeStream(file: string, verdict: StreamVerdict): string {
  const { organization, from, to, repeated, signedTo, fault } = verdict;
  if (fault)
    return `NOT VALID: ${file}, ${fault.line === undefined ? 'at its end' : `line ${fault.line}`}: ${fault.message}`;
  const facts = [
    `  organization  ${organization}`,
    `  events        places ${from} to ${to}, none missing; ${repeated} lines came again`,
  ];
  return signedTo === undefined
    ? [
        `CONSISTENT, BUT NOT PROVEN: no event of ${file} was changed, dropped, swapped or inserted after its hashes were
computed, but no head in it is proven. Give the public key of the installation: --public-key FILE`,
        ...facts,
      ].join('\n')
    : [
        `VALID: ${file} is the history that was signed: no event was changed, dropped, swapped or inserted.`,
        ...facts,
        `  signed        places up to ${signedTo}${to === signedTo ? '' : '; those above follow on them'}`,
      ].join('\n');
}
