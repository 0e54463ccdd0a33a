import type { AuditVerdictDto } from '@ledgerline/client';
import { Button } from '../../components/button';
import { Facts } from '../../components/facts';
import { Notice } from '../../components/notice';
import { Time } from '../../components/time';
import { saveFile } from '../../components/browser-files';

/** Whether the history is intact, with the signed head to keep, or the first place that is not. */
export function Verdict({ verdict }: { readonly verdict: AuditVerdictDto }) {
  const { valid, events, unsealed, head, firstInvalid } = verdict;
  return (
    <div className="stack">
      {valid ? (
        <p className="verdict">
          <strong>Intact.</strong> {eventsOf(events)} verified
          {head && <>, places 0 to {head.revision.toLocaleString('en')}</>}: none was changed, dropped, swapped or
          inserted.
        </p>
      ) : (
        <Notice tone="danger">
          <strong>Not intact.</strong>{' '}
          {firstInvalid
            ? `Place ${firstInvalid.revision.toLocaleString('en')} ${FINDINGS[firstInvalid.finding]}${firstInvalid.id === undefined ? '' : ` (event ${firstInvalid.id})`}. Nothing after it is proven.`
            : 'The history is not what was recorded.'}
        </Notice>
      )}
      {unsealed > 0 && <p>{eventsOf(unsealed)} of the last moments are not signed yet.</p>}
      {valid && <SignedHead verdict={verdict} />}
    </div>
  );
}

function SignedHead({ verdict }: { readonly verdict: AuditVerdictDto }) {
  const { organizationId, head, signedAt, keyId, signature } = verdict;
  if (!head || signature === null) return null;
  const keep = () =>
    saveFile(`head-${organizationId}-${head.revision}.json`, JSON.stringify(verdict, null, 2), 'application/json');
  return (
    <>
      <Facts
        facts={[
          [`Head (place ${head.revision})`, <code>{head.hash}</code>],
          ['Signed', signedAt && <Time at={signedAt} />],
          ['With the key', <code>{keyId}</code>],
          ['Signature (Ed25519)', <code>{signature}</code>],
        ]}
      />
      <p className="actions">
        <Button onClick={keep}>Save this head</Button>
      </p>
    </>
  );
}

const eventsOf = (count: number): string => `${count.toLocaleString('en')} ${count === 1 ? 'event' : 'events'}`;

const FINDINGS: Readonly<Record<NonNullable<AuditVerdictDto['firstInvalid']>['finding'], string>> = {
  changed: 'was changed',
  dropped: 'is missing',
  swapped: 'holds an event of another place',
  inserted: 'holds an event that was inserted',
  unsealed: 'was never sealed, although there was time',
  head_mismatch: 'does not fit the head: one of the two was changed',
  unsigned: 'has a head without a valid signature',
};
