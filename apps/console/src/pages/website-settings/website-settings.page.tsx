import type { WebsiteDto } from '@ledgerline/client';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Host } from '../../addresses/address';
import { isAtLeast, useOwnRole } from '../../api/members';
import { useChangeWebsite, websitesQuery } from '../../api/websites';
import { CopyButton } from '../../components/copy-button';
import { Facts } from '../../components/facts';
import { Form } from '../../components/form';
import { FormActions } from '../../components/form-actions';
import { PageHeader } from '../../components/page-header';
import { Section } from '../../components/section';
import { Time } from '../../components/time';
import { notify } from '../../components/toasts';
import { Retention } from './retention';
import { WebsiteDeletion } from './website-deletion';
import { WEBSITE_FIELDS, WebsiteFields, websiteIn } from './website-fields';

const route = getRouteApi('/signed-in/organizations/$organizationId/websites/$websiteId/settings');

export function WebsiteSettingsPage() {
  const { organizationId, websiteId } = route.useParams();
  const { data: websites } = useSuspenseQuery(websitesQuery(organizationId));
  const role = useOwnRole(organizationId);
  const website = websites.find(({ id }) => id === websiteId);
  if (!website) return null; // it is being deleted
  return (
    <div className="page">
      <PageHeader title={`Settings of ${website.name}`} description={<Host raw={website.domain} />} />
      <About website={website} />
      {isAtLeast(role, 'admin') && <Changes key={website.revision} website={website} />}
      {role === 'owner' && <Retention website={website} />}
      {isAtLeast(role, 'admin') && <WebsiteDeletion website={website} />}
    </div>
  );
}

const About = ({ website }: { readonly website: WebsiteDto }) => (
  <Section title="About it">
    <Facts
      facts={[
        [
          'Id',
          <span key="id" className="with-copy">
            <code>{website.id}</code>
            <CopyButton text={website.id} label={`the id of ${website.name}`} />
          </span>,
        ],
        ['Time zone of its days', website.timezone],
        ['Statistics', website.isPublic ? 'Public' : 'For members'],
        ['Hits are kept', website.retentionDays === null ? 'For ever' : `${website.retentionDays} days`],
        ['Created', <Time key="created" at={website.createdAt} />],
      ]}
    />
  </Section>
);

function Changes({ website }: { readonly website: WebsiteDto }) {
  const change = useChangeWebsite(website.id);
  const submit = (texts: Readonly<Record<string, string>>) =>
    change.mutate(websiteIn(texts), { onSuccess: () => notify('The settings are saved') });
  return (
    <Section title="Settings">
      <Form onSubmit={submit} error={change.error} fields={WEBSITE_FIELDS}>
        <WebsiteFields website={website} error={change.error} />
        <FormActions submit="Save the settings" variant="primary" isBusy={change.isPending} />
      </Form>
    </Section>
  );
}
