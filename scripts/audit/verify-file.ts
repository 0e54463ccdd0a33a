import type { InvalidPlace } from '@ledgerline/platform/event-store/chain-faults';
import type { ChainWalkVerdict } from '@ledgerline/platform/event-store/chain-walk';
import {
  verifySignedHead,
  type PublicKeys,
  type SignatureVerdict,
  type SignedHead,
} from '@ledgerline/platform/event-store/signed-head';
import { verifyLinks } from '@ledgerline/platform/event-store/verify-chain';
import { MalformedLine, readHead, readLinks, type NumberedHead, type NumberedLink } from './export-file';

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

export interface Fault {
  /** Undefined for what is missing at the end of the file. */
  readonly line?: number;
  /** The oldest place that is in the file, where the older ones are missing. */
  readonly endsAt?: number;
  readonly place?: InvalidPlace;
  /** Why a line cannot be read. */
  readonly message?: string;
}

/** What the chain is compared with beside the file itself. */
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
    const numbered = await readHead(path);
    const { head } = numbered;
    const signature = keys.size === 0 ? 'unchecked' : verifySignedHead(head, keys);
    const found = await verifyLinks(counted(readLinks(path), count), [head, ...heads]);
    const fault = headFault(numbered, signature, found.firstInvalid) ?? (await placeFault(path, found));
    return { head, ...count, signature, ...(fault ? { fault } : {}) };
  } catch (error) {
    if (!(error instanceof MalformedLine)) throw error;
    return { ...count, signature: 'unchecked', fault: { line: error.line, message: error.message } };
  }
}

/** Where the head contradicts the newest event and nothing is known of its signature, either may have been changed. */
function headFault(
  { line, head: { keyId } }: NumberedHead,
  signature: FileVerdict['signature'],
  place?: InvalidPlace,
): Fault | undefined {
  switch (signature) {
    case 'invalid':
      return { line, message: `the head was changed, or its signature was not made with key ${keyId}.` };
    case 'unknown_key':
      return { line, message: `the head is signed with key ${keyId}, which is none of the given public keys.` };
    case 'unchecked':
      return place?.finding === 'head_mismatch' ? { line, place } : undefined;
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
