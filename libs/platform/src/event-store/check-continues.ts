import { isConsistent } from './chain-link';
import type { ChainHead, EventStore } from './event-store';
import { historyEntries } from './history-pages';
import { SealingFault } from './sealing-faults';

const MAX_PAGE = 500;

/**
 * Recomputes the hashes of an organization's events from its head down to the head that was signed last.
 * @throws SealingFault unless the history extends what was signed
 */
export async function checkContinues(
  store: Pick<EventStore, 'readBack'>,
  organization: string,
  { signed, head, signal }: { signed: ChainHead; head: ChainHead; signal: AbortSignal },
): Promise<void> {
  if (head.revision < signed.revision)
    throw new SealingFault(`Its history ends ${endOf(head)}; places 0 to ${signed.revision} were signed.`);
  let expected = head;
  const pageSize = Math.min(head.revision - signed.revision + 2, MAX_PAGE);
  for await (const entry of historyEntries(store, organization, pageSize)) {
    signal.throwIfAborted();
    const { chain } = entry;
    if (!chain || chain.revision > head.revision) continue; // recorded meanwhile
    if (chain.revision !== expected.revision) throw missing(expected);
    if (chain.hash !== expected.hash || !isConsistent({ ...entry, chain }))
      throw new SealingFault(`Place ${chain.revision} of its history is not what its hash says.`);
    if (chain.revision === signed.revision && chain.hash !== signed.hash) throw rewritten(signed);
    expected = { revision: chain.revision - 1, hash: chain.previousHash };
    if (expected.revision < signed.revision) break;
  }
  if (expected.revision >= Math.max(signed.revision, 0)) throw missing(expected);
  if (signed.revision < 0 && expected.hash !== signed.hash) throw rewritten({ revision: 0 });
}

const endOf = ({ revision }: ChainHead): string => (revision < 0 ? 'before the first place' : `at place ${revision}`);

const missing = ({ revision }: ChainHead): SealingFault =>
  new SealingFault(`Place ${revision} of its history is missing.`);

const rewritten = ({ revision }: Pick<ChainHead, 'revision'>): SealingFault =>
  new SealingFault(`Its history is another one than was signed: place ${revision} has another hash.`);
