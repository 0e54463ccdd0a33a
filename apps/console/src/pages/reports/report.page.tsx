import { useNavigate } from '@tanstack/react-router';
import type { ReportDto } from '@ledgerline/client';
import { messageOf } from '../../api/failure';
import { useUpdateRecord } from '../../api/record-changes';
import { Button } from '../../components/button';
import { DeleteButton } from '../../components/delete-button';
import { PageHeader } from '../../components/page';
import { Section } from '../../components/page-parts';
import { notify } from '../../components/toasts';
import { ReportForm } from './report-form';
import { PERIODS, websitesText } from './report-words';

interface OneProps {
  readonly report: ReportDto;
}

export function ReportPage({ report }: OneProps) {
  const { id, name, period, timezone, revision } = report;
  return (
    <div className="page">
      <PageHeader
        title={name}
        description={`${websitesText(report)} · ${PERIODS[period]}, 08:00 ${timezone}`}
        actions={<ReportActions report={report} />}
      />
      <Section title="Preview" description="The mail of the last week or month, as it would be sent now">
        <iframe
          key={revision}
          width="100%"
          height="720"
          title={`Preview of ${name}`}
          src={`/v1/reports/${id}/preview`}
          sandbox="allow-popups allow-popups-to-escape-sandbox"
        />
      </Section>
      <Changes key={revision} report={report} />
    </div>
  );
}

/** Pausing, and deletion. */
function ReportActions({ report }: OneProps) {
  const { id, name, enabled, organizationId } = report;
  const change = useUpdateRecord('/v1/reports', id);
  const navigate = useNavigate();
  const pause = () =>
    change.mutate(
      { enabled: !enabled },
      {
        onSuccess: () => notify(enabled ? `${name} is paused` : `${name} is sent from now on`),
        onError: (error) => notify(messageOf(error)),
      },
    );
  return (
    <>
      <Button isBusy={change.isPending} onClick={pause}>
        {enabled ? 'Pause' : 'Resume'}
      </Button>
      <DeleteButton
        path="/v1/reports"
        record={report}
        onDeleted={() =>
          void navigate({
            to: '/organizations/$organizationId/reports',
            params: { organizationId },
            search: {},
          })
        }
      >
        <p>It is not sent any more.</p>
      </DeleteButton>
    </>
  );
}

function Changes({ report }: OneProps) {
  const change = useUpdateRecord('/v1/reports', report.id, report.revision);
  return (
    <ReportForm
      organizationId={report.organizationId}
      report={report}
      change={change}
      submit="Save the report"
      onSubmit={(settings) => change.mutate(settings, { onSuccess: () => notify('The report is saved') })}
    />
  );
}
