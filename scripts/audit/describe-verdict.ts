import type { InvalidPlace } from '@ledgerline/platform/event-store/chain-faults';
import type { Fault, FileVerdict } from './verify-file';

/** A verdict in words, for people. */
export function describeVerdict(file: string, verdict: FileVerdict): string {
  const { head, fault, signature } = verdict;
  if (fault) return `NOT VALID: ${file}, ${describeFault(fault, verdict)}`;
  if (!head) throw new Error('A file without a head has a fault.');
  return [verdictOf(file, signature === 'valid'), ...facts(verdict, head)].join('\n');
}

const verdictOf = (file: string, isSigned: boolean): string =>
  isSigned
    ? `VALID: ${file} is the history that was signed: no event was changed, dropped, swapped or inserted.`
    : `CONSISTENT, BUT NOT PROVEN: no event of ${file} was changed, dropped, swapped or inserted after its hashes were
computed, but who computed them is unknown. Give the public key of the installation: --public-key FILE`;

function facts({ shown, leftOut, signature }: FileVerdict, head: NonNullable<FileVerdict['head']>): string[] {
  const left = leftOut === 0 ? '' : `, ${leftOut} left out by a filter`;
  return [
    `  organization  ${head.organization}`,
    `  events        ${shown}${left}; places 0 to ${head.revision}`,
    `  head          ${head.hash}`,
    `  signed        ${head.signedAt} with key ${head.keyId}: signature ${signature === 'valid' ? 'valid' : 'not checked'}`,
  ];
}

function describeFault({ line, endsAt, place, message }: Fault, { head }: FileVerdict): string {
  if (!place || !head) return `line ${line}: ${message}`;
  const fault =
    line === undefined ? `at its end: ${cutOff(endsAt ?? head.revision + 1)}` : `line ${line}: ${foundAt(place)}`;
  return `${fault}\n  The signed head names ${head.revision + 1} events of ${head.organization}.`;
}

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
