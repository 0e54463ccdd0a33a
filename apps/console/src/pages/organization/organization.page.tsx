import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate, useRouter } from '@tanstack/react-router';
import { isAtLeast, organizationsQuery, useOwnRole } from '../../api/organizations';
import { useCreateRecord, useUpdateRecord } from '../../api/record-changes';
import { CopyButton } from '../../components/button';
import { DeleteButton } from '../../components/delete-button';
import { Input } from '../../components/field';
import type { Texts } from '../../components/form';
import { PageHeader } from '../../components/page';
import { DescriptionList, FormSection, Section, Time } from '../../components/page-parts';
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
      <PageHeader title="Organization settings" description={organization.name} />
      <Section title="Details">
        <DescriptionList
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
  const rename = useUpdateRecord('/v1/organizations', organization.id);
  const router = useRouter();
  const submit = ({ name = '' }: Texts) =>
    rename.mutate(
      { name },
      {
        onSuccess: () => {
          notify('The name is changed');
          void router.invalidate();
        },
      },
    );
  return (
    <FormSection title="Name" change={rename} onSubmit={submit} submit="Save the name">
      <Input label="Name" name="name" defaultValue={organization.name} required />
    </FormSection>
  );
}

function Deletion() {
  const { organization } = route.useRouteContext();
  const navigate = route.useNavigate();
  return (
    <Section title="Delete the organization" description="With its websites, links, keys and members.">
      <div className="form-actions">
        <DeleteButton
          path="/v1/organizations"
          record={organization}
          text="Delete the organization"
          variant="danger"
          onDeleted={() => void navigate({ to: '/' })}
        >
          <p>
            Its websites record nothing any more, its links lead nowhere, its keys are refused. This cannot be undone.
          </p>
        </DeleteButton>
      </div>
    </Section>
  );
}

const WITHOUT_ONE = 'You belong to no organization yet. Create one, or ask a colleague to invite you.';

/** Creates an organization; it is also the first page of those who are members of none. */
export function NewOrganizationPage() {
  const { data: organizations } = useSuspenseQuery(organizationsQuery);
  const create = useCreateRecord('/v1/organizations');
  const navigate = useNavigate();
  const submit = ({ name = '' }: Texts) =>
    create.mutate(
      { name },
      {
        onSuccess: ({ id }) =>
          void navigate({ to: '/organizations/$organizationId/websites', params: { organizationId: id } }),
      },
    );
  return (
    <div className="page">
      <PageHeader title="New organization" description={organizations.length === 0 ? WITHOUT_ONE : undefined} />
      <FormSection
        title="Name"
        description="An organization owns websites, links, keys and an audit log; its members share them."
        change={create}
        onSubmit={submit}
        submit="Create the organization"
        variant="primary"
      >
        <Input label="Name" name="name" required />
      </FormSection>
    </div>
  );
}
