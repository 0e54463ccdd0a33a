import { getRouteApi, Link } from '@tanstack/react-router';
import { useCreateMonitor } from '../../api/monitors';
import { Button } from '../../components/button';
import { Form } from '../../components/form';
import { FormError } from '../../components/form-error';
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
        <Form onSubmit={submit}>
          <FormError error={create.error} fields={MONITOR_FIELDS} />
          <MonitorFields error={create.error} />
          <div className="form-actions">
            <Button type="submit" variant="primary" isBusy={create.isPending}>
              Create the monitor
            </Button>
            <Link className="button" to="/organizations/$organizationId/monitors" params={{ organizationId }}>
              Cancel
            </Link>
          </div>
        </Form>
      </Section>
    </div>
  );
}
