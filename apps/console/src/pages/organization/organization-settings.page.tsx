import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { fieldMessage } from '../../api/failure';
import { isAtLeast, useOwnRole } from '../../api/members';
import { useDeleteOrganization, useRenameOrganization } from '../../api/organizations';
import { Button } from '../../components/button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { CopyButton } from '../../components/copy-button';
import { Facts } from '../../components/facts';
import { Form } from '../../components/form';
import { FormActions } from '../../components/form-actions';
import { Input } from '../../components/input';
import { PageHeader } from '../../components/page-header';
import { Section } from '../../components/section';
import { Time } from '../../components/time';
import { notify } from '../../components/toasts';

const route = getRouteApi('/signed-in/organizations/$organizationId/settings');

export function OrganizationSettingsPage() {
  const { organization } = route.useRouteContext();
  const role = useOwnRole(organization.id);
  const id = (
    <span className="with-copy">
      <code>{organization.id}</code>
      <CopyButton text={organization.id} label="the id of the organization" />
    </span>
  );
  return (
    <div className="page">
      <PageHeader title="Organization" description={organization.name} />
      <Section title="About it">
        <Facts
          facts={[
            ['Id', id],
            ['Created', <Time key="created" at={organization.createdAt} />],
          ]}
        />
      </Section>
      {isAtLeast(role, 'admin') && <Renaming />}
      {role === 'owner' && <Deletion />}
    </div>
  );
}

function Renaming() {
  const { organization } = route.useRouteContext();
  const rename = useRenameOrganization(organization.id);
  const router = useRouter();
  const submit = ({ name = '' }: Readonly<Record<string, string>>) =>
    rename.mutate(name, {
      onSuccess: () => {
        notify('The name is changed');
        void router.invalidate();
      },
    });
  return (
    <Section title="Name">
      <Form onSubmit={submit} error={rename.error} fields={['name']}>
        <Input
          label="Name"
          name="name"
          defaultValue={organization.name}
          required
          error={fieldMessage(rename.error, 'name')}
        />
        <FormActions submit="Save the name" isBusy={rename.isPending} />
      </Form>
    </Section>
  );
}

function Deletion() {
  const { organization } = route.useRouteContext();
  const [isAsked, setAsked] = useState(false);
  const deletion = useDeleteOrganization(organization.id);
  const navigate = route.useNavigate();
  const confirm = () => deletion.mutate(undefined, { onSuccess: () => void navigate({ to: '/' }) });
  return (
    <Section title="Delete the organization" description="With its websites, links, keys and members.">
      <div className="form-actions">
        <Button variant="danger" onClick={() => setAsked(true)}>
          Delete the organization
        </Button>
      </div>
      {isAsked && (
        <ConfirmDialog
          title={`Delete ${organization.name}?`}
          action="Delete"
          isBusy={deletion.isPending}
          error={deletion.error}
          onConfirm={confirm}
          onClose={() => setAsked(false)}
        >
          <p>
            Its websites record nothing any more, its links lead nowhere, its keys are refused. This cannot be undone.
          </p>
        </ConfirmDialog>
      )}
    </Section>
  );
}
