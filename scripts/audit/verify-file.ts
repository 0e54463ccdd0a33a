import type { InvalidPlace } from '@ledgerline/platform/event-store/chain-faults';
import { ChainWalk, type ChainWalkVerdict } from '@ledgerline/platform/event-store/chain-walk';
import {
  type PublicKeys,
  type SignatureVerdict,
  type SignedHead,
  verifySignedHead,
} from '@ledgerline/platform/event-store/head-statement';
import { verifyLinks } from '@ledgerline/platform/event-store/verify-chain';
import { MalformedLine, type NumberedLink, readHead, readLinks } from './export-file';

export interface FileVerdict {
  /** Undefined when the first line cannot be read. */
  readonly head?: SignedHead;
  readonly shown: number;
  readonly leftOut: number;
  /** `unchecked` = no public key was given. */
  readonly signature: SignatureVerdict | 'unchecked';
  /** The first place at which the file is not what was exported. */
  readonly fault?: Fault;
}

interface Fault {
  /** Undefined for what is missing at the end of the file. */
  readonly line?: number;
  /** The oldest place that is in the file, where the older ones are missing. */
  readonly endsAt?: number;
  readonly place?: InvalidPlace;
  /** Why a line cannot be read. */
  readonly message?: string;
  /** Why a head that was kept is not in the history. */
  readonly lost?: LostHead;
}

/** A head of what was recorded before a history went on from an earlier place, as after a restored backup. */
interface LostHead {
  readonly revision: number;
  /** Where it is recorded that the history went on, and when and why. */
  readonly place: number;
  readonly at: string;
  readonly reason: string;
}

/** The heads and keys that the chain is compared with beside the file itself. */
export interface Known {
  /** None = the signature is not checked. */
  readonly keys: PublicKeys;
  /** Heads kept elsewhere; the chain must run through each of them. */
  readonly heads: readonly SignedHead[];
}

/** Proves an export, reading it line by line; needs no store and no network. */
export async function verifyFile(path: string, { keys, heads }: Known): Promise<FileVerdict> {
  const count = { shown: 0, leftOut: 0 };
  try {
    const head = await readHead(path);
    const signature = keys.size === 0 ? 'unchecked' : verifySignedHead(head, keys);
    const found = await verifyLinks(counted(readLinks(path), count), [head, ...heads]);
    const fault = headFault(head, signature, found.firstInvalid) ?? (await placeFault(path, found));
    if (!fault) return { head, ...count, signature };
    const lost = fault.place && (await lostHead(path, head, heads));
    return { head, ...count, signature, fault: lost ? { ...fault, lost } : fault };
  } catch (error) {
    if (!(error instanceof MalformedLine)) throw error;
    return { ...count, signature: 'unchecked', fault: { line: error.line, message: error.message } };
  }
}

const HEAD_LINE = 1;

/** Where the head contradicts the newest event and nothing is known of its signature, either may have been changed. */
function headFault(
  { keyId }: SignedHead,
  signature: FileVerdict['signature'],
  place?: InvalidPlace,
): Fault | undefined {
  switch (signature) {
    case 'invalid':
      return { line: HEAD_LINE, message: `the head was changed, or its signature was not made with key ${keyId}.` };
    case 'unknown_key':
      return {
        line: HEAD_LINE,
        message: `the head is signed with key ${keyId}, which is none of the given public keys.`,
      };
    case 'unchecked':
      return place?.finding === 'head_mismatch' ? { line: HEAD_LINE, place } : undefined;
    case 'valid':
      return undefined;
  }
}

/** Under a head that is right. */
async function placeFault(
  path: string,
  { firstInvalid, firstInvalidAt }: ChainWalkVerdict,
): Promise<Fault | undefined> {
  if (!firstInvalid) return undefined;
  const { finding } = firstInvalid;
  const place = { ...firstInvalid, finding: finding === 'head_mismatch' ? ('changed' as const) : finding };
  return { ...(await lineOf(path, firstInvalidAt)), place };
}

/** Finds the kept head that a file, which is valid without them, has lost. */
async function lostHead(path: string, head: SignedHead, kept: readonly SignedHead[]): Promise<LostHead | undefined> {
  const hashes = new Map<number, string>();
  const goneOn: Omit<LostHead, 'revision'>[] = [];
  const walk = new ChainWalk([head]);
  for await (const { link } of readLinks(path)) {
    walk.see(link);
    hashes.set(link.chain.revision, link.chain.hash);
    if (!('type' in link) || link.type !== 'AuditLogResealed') continue;
    const { occurredAt: at = '' } = link.metadata;
    goneOn.unshift({ place: link.chain.revision, at, reason: JSON.stringify(link.data['reason']) });
  }
  if (!walk.verdict().valid) return undefined;
  for (const { revision, signedAt } of kept.filter((each) => hashes.get(each.revision) !== each.hash)) {
    const first = goneOn.find(({ place, at }) => place <= revision && Date.parse(at) > Date.parse(signedAt));
    if (first) return { revision, ...first };
  }
  return undefined;
}

async function* counted(links: AsyncIterable<NumberedLink>, count: { shown: number; leftOut: number }) {
  for await (const { link } of links) {
    if ('contentHash' in link) count.leftOut += 1;
    else count.shown += 1;
    yield link;
  }
}

/** The line of the link with that number, from 0; without one, the oldest place of the file. */
async function lineOf(path: string, number: number | undefined): Promise<Pick<Fault, 'line' | 'endsAt'>> {
  let endsAt: number | undefined;
  let at = 0;
  for await (const { line, link } of readLinks(path)) {
    if (at++ === number) return { line };
    endsAt = link.chain.revision;
  }
  return endsAt === undefined ? {} : { endsAt };
}

/** A verdict in words, for people. */
export function describeVerdict(file: string, verdict: FileVerdict): string {
  const { head, fault } = verdict;
  if (fault) return `NOT VALID: ${file}, ${describeFault(fault, verdict)}`;
  if (!head) throw new Error('A file without a head has a fault.');
  return [verdictOf(file, verdict), ...facts(verdict, head)].join('\n');
}

/** Returns whether the signature is right, and of any event that the file shows. */
export const isProven = ({ signature, shown }: FileVerdict): boolean => signature === 'valid' && shown > 0;

function verdictOf(file: string, verdict: FileVerdict): string {
  if (isProven(verdict))
    return `VALID: ${file} is the history that was signed: no event was changed, dropped, swapped or inserted.`;
  if (verdict.shown === 0)
    return `CONSISTENT, BUT NOTHING IS SHOWN: ${file} has the hashes of its events alone, as if a filter left all of them out.`;
  return `CONSISTENT, BUT NOT PROVEN: no event of ${file} was changed, dropped, swapped or inserted after its hashes were
computed, but who computed them is unknown. Give the public key of the installation: --public-key FILE`;
}

function facts({ shown, leftOut, signature }: FileVerdict, head: NonNullable<FileVerdict['head']>): string[] {
  const left = leftOut === 0 ? '' : `, ${leftOut} left out by a filter`;
  return [
    `  organization  ${head.organization}`,
    `  events        ${shown}${left}; places 0 to ${head.revision}`,
    `  head          ${head.hash}`,
    `  signed        ${head.signedAt} with key ${head.keyId}: signature ${signature === 'valid' ? 'valid' : 'not checked'}`,
  ];
}

function describeFault({ line, endsAt, place, message, lost }: Fault, { head }: FileVerdict): string {
  if (!place || !head) return `line ${line}: ${message}`;
  const fault =
    line === undefined ? `at its end: ${cutOff(endsAt ?? head.revision + 1)}` : `line ${line}: ${foundAt(place)}`;
  const why = lost ? `\n  ${lossOf(lost)}` : '';
  return `${fault}\n  The signed head names ${head.revision + 1} events of ${head.organization}.${why}`;
}

const lossOf = ({ revision, place, at, reason }: LostHead): string =>
  `Place ${place} says why (${at}): ${reason}. The head that was kept is of place ${revision} of what went on before; the file is valid without it.`;

const cutOff = (endsAt: number): string =>
  `the oldest events are missing, those of ${endsAt === 1 ? 'place 0' : `places 0 to ${endsAt - 1}`}.`;

function foundAt({ finding, revision, id }: InvalidPlace): string {
  const found = id === undefined ? 'what stands there' : `event ${id}`;
  switch (finding) {
    case 'head_mismatch':
      return `the head is not the hash of place ${revision}, which fits in itself: the head was changed, or ${found} with its hash. The public key of the installation shows which: --public-key FILE`;
    case 'changed':
      return `place ${revision} was changed: ${found} is not what was recorded.`;
    case 'dropped':
      return `the event of place ${revision} is missing.`;
    case 'swapped':
      return `places were swapped: ${found} stands at place ${revision}, where something else was recorded.`;
    case 'inserted':
      return `${found} was inserted at place ${revision}.`;
    case 'unsealed':
      return `${found} belongs at place ${revision} or above, and is not sealed.`;
  }
}
