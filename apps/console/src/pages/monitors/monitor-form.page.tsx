import { getRouteApi, Link } from '@tanstack/react-router';
import type { MonitorDto } from '@ledgerline/client';
import { useCreateRecord } from '../../api/record-changes';
import { declareForm, FormFields, valuesIn } from '../../components/declared-form';
import type { Texts } from '../../components/form';
import { PageHeader } from '../../components/page';
import { FormSection } from '../../components/page-parts';
import { HeadersField, headersIn } from '../../components/sent-headers';

const route = getRouteApi('/signed-in/organizations/$organizationId/monitors/new');

export function NewMonitorPage() {
  const { organizationId } = route.useParams();
  const create = useCreateRecord('/v1/monitors');
  const navigate = route.useNavigate();
  const submit = (texts: Texts) =>
    create.mutate(
      { organizationId, ...monitorIn(texts) },
      {
        onSuccess: ({ id }) =>
          void navigate({
            to: '/organizations/$organizationId/monitors/$monitorId',
            params: { organizationId, monitorId: id },
          }),
      },
    );
  return (
    <div className="page">
      <PageHeader title="New monitor" description="Checks begin at once" />
      <FormSection
        title="Settings"
        change={create}
        onSubmit={submit}
        submit="Create the monitor"
        variant="primary"
        cancel={
          <Link className="button" to="/organizations/$organizationId/monitors" params={{ organizationId }}>
            Cancel
          </Link>
        }
      >
        <MonitorFields />
      </FormSection>
    </div>
  );
}

const FORM = declareForm(
  'CreateMonitorDto',
  { name: { label: 'Name' }, url: { label: 'URL', hint: 'https://example.com/health' } },
  {
    method: { label: 'Method' },
    intervalSeconds: { label: 'Interval (seconds)' },
    timeoutSeconds: { label: 'Timeout (seconds)' },
  },
  {
    expectedStatus: { label: 'Expected status', hint: 'Default: 200 to 299' },
    expectedText: { label: 'Expected text', hint: 'In the first MiB of the body' },
    unwantedText: { label: 'Unwanted text', hint: 'Down if the body has it' },
  },
  {
    slowAfterMs: { label: 'Slow response (ms)', hint: 'Degraded above it' },
    certificateDays: { label: 'Certificate expiry (days)', hint: 'Degraded so many days before' },
  },
  {
    ignoreTlsErrors: {
      label: 'Ignore TLS errors',
      hint: 'Accepts untrusted certificates: another server could answer, and read the headers.',
    },
  },
  {
    body: {
      label: 'Body',
      rows: 2,
      hint: 'Sent by POST as JSON or form data, unless a header sets the type. Visible to members.',
    },
  },
);

/** Shows what a monitor is created with and what is changed of it. */
export function MonitorFields({ monitor }: { readonly monitor?: MonitorDto }) {
  return (
    <>
      <FormFields form={FORM} record={monitor} />
      <HeadersField kept={monitor?.headerNames} />
    </>
  );
}

/** Returns what the form says, for the api. */
export const monitorIn = (texts: Texts) => ({ ...valuesIn(FORM, texts), ...headersIn(texts) });
