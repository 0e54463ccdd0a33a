import type { AuditProgressDto, AuditVerdictDto } from '@ledgerline/client';
import { useVerifyAuditLog } from '../../api/audit-log';
import { Button, saveFile } from '../../components/button';
import { CodeBlock, DescriptionList, Time } from '../../components/page-parts';
import { ErrorState, Notice } from '../../components/states';

/** Lets the api recompute every hash, and shows the verdict. */
export function Verification({ organizationId }: { readonly organizationId: string }) {
  const verify = useVerifyAuditLog(organizationId);
  return (
    <section className="panel" aria-label="Verification">
      <div className="section-head">
        <h2>Is the record intact?</h2>
        <Button variant="primary" isBusy={verify.isPending} onClick={() => verify.mutate()}>
          {verify.data ? 'Verify again' : 'Verify now'}
        </Button>
      </div>
      {verify.isPending && <Progress progress={verify.progress} />}
      <div role="status">{verify.data && <Verdict verdict={verify.data} />}</div>
      {verify.error && <ErrorState error={verify.error} onRetry={() => verify.mutate()} />}
      <Explanation />
    </section>
  );
}

const Progress = ({ progress }: { readonly progress: AuditProgressDto | undefined }) => (
  <p className="verifying">
    <progress aria-label="Verification" max={progress?.total} value={progress?.verified} />{' '}
    {progress
      ? `Recomputed the hashes of ${count(progress.verified)} of ${count(progress.total)} events`
      : 'Recomputing the hash of every event …'}
  </p>
);

const count = (events: number): string => events.toLocaleString();

/** Shows whether the history is intact, with the signed head to keep, or the first place that is not. */
function Verdict({ verdict }: { readonly verdict: AuditVerdictDto }) {
  const { valid, events, unsealed, head, firstInvalid } = verdict;
  return (
    <div className="stack">
      {valid ? (
        <p className="verdict">
          <strong>Intact.</strong> {eventsOf(events)} verified
          {head && <>, places 0 to {head.revision.toLocaleString()}</>}: none was changed, dropped, swapped or inserted.
        </p>
      ) : (
        <Notice tone="danger">
          <strong>Not intact.</strong>{' '}
          {firstInvalid
            ? `Place ${firstInvalid.revision.toLocaleString()} ${FINDINGS[firstInvalid.finding]}${firstInvalid.id === undefined ? '' : ` (event ${firstInvalid.id})`}. Nothing after it is proven.`
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
      <DescriptionList
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

const eventsOf = (count: number): string => `${count.toLocaleString()} ${count === 1 ? 'event' : 'events'}`;

const FINDINGS: Readonly<Record<NonNullable<AuditVerdictDto['firstInvalid']>['finding'], string>> = {
  changed: 'was changed',
  dropped: 'is missing',
  swapped: 'holds an event of another place',
  inserted: 'holds an event that was inserted',
  unsealed: 'was never sealed, although there was time',
  head_mismatch: 'does not fit the head: one of the two was changed',
  unsigned: 'has a head without a valid signature',
};

const COMMAND = 'npm run audit -- verify audit.ndjson --public-key keys.pem --head head.json';

/** Shows what a reviewer can rely on, in a sentence each. */
const Explanation = () => (
  <details className="more">
    <summary>What this proves, and what it does not</summary>
    <dl className="facts">
      <div>
        <dt>The chain</dt>
        <dd>
          Each event has a hash over its content and the hash before it, so an intact chain proves that no event was
          changed, dropped, swapped or inserted.
        </dd>
      </div>
      <div>
        <dt>The signed head</dt>
        <dd>
          The newest hash stands for the whole history; its signature proves that the key of this installation signed it
          at the time it names.
        </dd>
      </div>
      <div>
        <dt>A head that you keep</dt>
        <dd>
          Whoever holds the key could rewrite the history and sign it again; a head that you saved elsewhere proves
          later that the history up to it is still the same.
        </dd>
      </div>
      <div>
        <dt>Not proven</dt>
        <dd>That everything was recorded, that the contents were right, and that the clock of the api was.</dd>
      </div>
      <div>
        <dt>Without trusting this page</dt>
        <dd>
          Export the proof and verify it on your own machine, with a copy of the source code and the public keys of the
          operator:
        </dd>
      </div>
    </dl>
    <CodeBlock text={COMMAND} label="the command" />
  </details>
);
