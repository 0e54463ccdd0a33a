import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { WebsiteDto } from '@ledgerline/client';
import { useCreateRecord } from '../../api/record-changes';
import { declareForm, FormFields, valuesIn } from '../../components/declared-form';
import { Input } from '../../components/field';
import type { Texts } from '../../components/form';
import { PageHeader } from '../../components/page';
import { FormSection } from '../../components/page-parts';
import { OWN_ZONE, TimeZoneInput } from '../../components/time-zone-input';

const route = getRouteApi('/signed-in/organizations/$organizationId/websites/new');

export function NewWebsitePage() {
  const { organizationId } = route.useParams();
  const register = useCreateRecord('/v1/websites');
  const navigate = route.useNavigate();
  const submit = (texts: Texts) =>
    register.mutate(
      { organizationId, ...websiteFromForm(texts), timezone: texts['timezone'] || OWN_ZONE },
      {
        onSuccess: ({ id }) =>
          void navigate({
            to: '/organizations/$organizationId/websites/$websiteId/install',
            params: { organizationId, websiteId: id },
          }),
      },
    );
  return (
    <div className="page">
      <PageHeader title="New website" description="What visitors, page views and events are counted for" />
      <FormSection
        title="Settings"
        change={register}
        onSubmit={submit}
        submit="Create the website"
        variant="primary"
        cancel={
          <Link className="button" to="/organizations/$organizationId/websites" params={{ organizationId }}>
            Cancel
          </Link>
        }
      >
        <DomainAndName />
        <details className="more">
          <summary>More settings</summary>
          <div className="form">
            <TimeZoneInput hint="Of its days; it cannot be changed later." />
            <FormFields form={MORE} record={undefined} />
          </div>
        </details>
      </FormSection>
    </div>
  );
}

/** The domain that an address is of, as people paste it. */
const domainIn = (text: string): string =>
  text
    .trim()
    .replace(/^[a-z]+:\/\//i, '')
    .replace(/[/?#].*$/, '');

/** The name is that of the domain until another one is typed. */
function DomainAndName() {
  const [domain, setDomain] = useState('');
  const [name, setName] = useState<string>();
  return (
    <div className="form-row">
      <Input
        {...DOMAIN}
        name="domain"
        required
        autoFocus
        autoComplete="off"
        placeholder="example.com"
        value={domain}
        onChange={({ target }) => setDomain(domainIn(target.value))}
      />
      <Input
        label="Name"
        name="name"
        required
        autoComplete="off"
        value={name ?? domain.replace(/^www\./, '')}
        onChange={({ target }) => setName(target.value)}
      />
    </div>
  );
}

const DOMAIN = { label: 'Domain', hint: 'Its subdomains are counted, too.' };

const MORE = declareForm(
  'RegisterWebsiteDto',
  {
    visitorIdentity: {
      label: 'Visitors are recognized',
      hint: 'Without cookies. Longer counts people who return, and knows more of them.',
      words: { daily: 'For a day', monthly: 'For a month', stable: 'For as long as the website exists' },
    },
  },
  {
    allowedOrigins: {
      label: 'Additional domains',
      hint: 'One per line: shops or apps elsewhere whose events are accepted.',
    },
  },
  {
    isPublic: {
      label: 'Statistics are public',
      hint: 'Anyone can see them without signing in, but no sessions, visitors or properties.',
    },
  },
);

const MAIN = declareForm('RegisterWebsiteDto', { name: { label: 'Name' }, domain: DOMAIN });

/** Shows what can be changed of a website. */
export const WebsiteFields = ({ website }: { readonly website?: WebsiteDto }) => (
  <>
    <FormFields form={MAIN} record={website} />
    <FormFields form={MORE} record={website} />
  </>
);

/** Returns what the form says, for the api. */
export const websiteFromForm = (texts: Texts) => ({ ...valuesIn(MAIN, texts), ...valuesIn(MORE, texts) });
