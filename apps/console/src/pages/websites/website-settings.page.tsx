import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { WebsiteDto } from '@ledgerline/client';
import { Host } from '../../addresses/address';
import { isAtLeast, useOwnRole } from '../../api/organizations';
import { useUpdateRecord } from '../../api/record-changes';
import { websitesQuery } from '../../api/websites';
import { CopyButton } from '../../components/button';
import { DeleteButton } from '../../components/delete-button';
import type { Texts } from '../../components/form';
import { PageHeader } from '../../components/page';
import { DescriptionList, FormSection, Section, Time } from '../../components/page-parts';
import { notify } from '../../components/toasts';
import { SharesSection } from '../shares/shares-section';
import { RetentionSection } from './retention-section';
import { WebsiteFields, websiteFromForm } from './website-form.page';

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
      {role === 'owner' && <RetentionSection key={`kept ${website.revision}`} website={website} />}
      <SharesSection website={website} mayChange={isAtLeast(role, 'admin')} />
      {isAtLeast(role, 'admin') && <WebsiteDeletion website={website} />}
    </div>
  );
}

const About = ({ website }: { readonly website: WebsiteDto }) => (
  <Section title="Details">
    <DescriptionList
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
        ['Created', <Time key="created" at={website.createdAt} />],
      ]}
    />
  </Section>
);

function Changes({ website }: { readonly website: WebsiteDto }) {
  const change = useUpdateRecord('/v1/websites', website.id);
  const submit = (texts: Texts) =>
    change.mutate(websiteFromForm(texts), { onSuccess: () => notify('The settings are saved') });
  return (
    <FormSection title="Settings" change={change} onSubmit={submit} submit="Save the settings" variant="primary">
      <WebsiteFields website={website} />
    </FormSection>
  );
}

function WebsiteDeletion({ website }: { readonly website: WebsiteDto }) {
  const navigate = useNavigate();
  const params = { organizationId: website.organizationId };
  return (
    <Section title="Delete the website" description="Its hits are refused, and nothing can be asked about it.">
      <div className="form-actions">
        <DeleteButton
          path="/v1/websites"
          record={website}
          text="Delete the website"
          variant="danger"
          onDeleted={() => void navigate({ to: '/organizations/$organizationId/websites', params })}
        >
          <p>This cannot be undone.</p>
        </DeleteButton>
      </div>
    </Section>
  );
}
