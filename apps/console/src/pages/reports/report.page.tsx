import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
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
  const { name, period, timezone, revision } = report;
  return (
    <div className="page">
      <PageHeader
        title={name}
        description={`${websitesText(report)} · ${PERIODS[period]}, 08:00 ${timezone}`}
        actions={<ReportActions report={report} />}
      />
      <Section title="Preview" description="The mail of the last week or month, as it would be sent now">
        <Preview key={revision} report={report} />
      </Section>
      <Changes key={revision} report={report} />
    </div>
  );
}

const FIRST_HEIGHT = 720;

/** Shows the mail as high as it is. */
function Preview({ report: { id, name } }: OneProps) {
  const [height, setHeight] = useState(FIRST_HEIGHT);
  return (
    <iframe
      width="100%"
      height={height}
      title={`Preview of ${name}`}
      src={`/v1/reports/${id}/preview`}
      sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
      onLoad={({ currentTarget }) => setHeight(currentTarget.contentDocument?.documentElement.scrollHeight ?? height)}
    />
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
