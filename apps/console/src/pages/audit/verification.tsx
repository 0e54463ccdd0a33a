import type { AuditProgressDto } from '@ledgerline/client';
import { useVerifyAuditLog } from '../../api/audit-log';
import { Button } from '../../components/button';
import { ErrorState } from '../../components/error-state';
import { Explanation } from './explanation';
import { Verdict } from './verdict';

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

const count = (events: number): string => events.toLocaleString('en');
