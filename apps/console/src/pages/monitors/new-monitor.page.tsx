import { getRouteApi, Link } from '@tanstack/react-router';
import { useCreateMonitor } from '../../api/monitors';
import { Form } from '../../components/form';
import { FormActions } from '../../components/form-actions';
import { PageHeader } from '../../components/page-header';
import { Section } from '../../components/section';
import { MONITOR_FIELDS, MonitorFields, monitorIn } from './monitor-fields';

const route = getRouteApi('/signed-in/organizations/$organizationId/monitors/new');

export function NewMonitorPage() {
  const { organizationId } = route.useParams();
  const create = useCreateMonitor();
  const navigate = route.useNavigate();
  const submit = (texts: Readonly<Record<string, string>>) =>
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
      <PageHeader title="New monitor" description="It is checked from now on" />
      <Section title="Settings">
        <Form onSubmit={submit} error={create.error} fields={MONITOR_FIELDS}>
          <MonitorFields error={create.error} />
          <FormActions submit="Create the monitor" variant="primary" isBusy={create.isPending}>
            <Link className="button" to="/organizations/$organizationId/monitors" params={{ organizationId }}>
              Cancel
            </Link>
          </FormActions>
        </Form>
      </Section>
    </div>
  );
}
