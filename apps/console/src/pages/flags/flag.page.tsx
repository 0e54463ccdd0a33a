import type { FlagDto } from '@ledgerline/client';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { flagsQuery, useChangeFlag } from '../../api/flags';
import { isAtLeast, useOwnRole } from '../../api/members';
import { websitesQuery } from '../../api/websites';
import { Badge } from '../../components/badge';
import { Button } from '../../components/button';
import { Facts } from '../../components/facts';
import { PageHeader } from '../../components/page-header';
import { Section } from '../../components/section';
import { Time } from '../../components/time';
import { notify } from '../../components/toasts';
import { FlagActions } from './flag-actions';
import { optionsIn, type FlagDraft } from './flag-draft';
import { FlagForm } from './flag-form';
import { FlagPreview } from './flag-preview';
import { environmentsOf, STATUS_BADGES, summaryOf } from './flag-words';

const route = getRouteApi('/signed-in/organizations/$organizationId/flags/$flagId');

export function FlagPage() {
  const { organizationId, flagId } = route.useParams();
  const { data: flags } = useSuspenseQuery(flagsQuery(organizationId));
  const { data: websites } = useSuspenseQuery(websitesQuery(organizationId));
  const mayChange = isAtLeast(useOwnRole(organizationId), 'admin');
  const flag = flags.find(({ id }) => id === flagId);
  if (!flag) return null; // it is being deleted
  const [tone, status] = STATUS_BADGES[flag.status];
  return (
    <div className="page">
      <PageHeader
        title={flag.name}
        description={<code>{flag.key}</code>}
        actions={mayChange && <FlagActions flag={flag} />}
      />
      <Section title="Now">
        <Facts
          facts={[
            [
              'Status',
              <Badge key="status" tone={tone}>
                {status}
              </Badge>,
            ],
            ['Value', summaryOf(flag)],
            ['Website', websites.find(({ id }) => id === flag.websiteId)?.name ?? 'All of the organization'],
            ['Environment', environmentsOf(flag).join(', ') || 'All'],
            ['Changed', <Time key="changed" at={flag.updatedAt} />],
          ]}
        />
      </Section>
      <FlagPreview flag={flag} websites={websites} />
      {mayChange && <Changes key={flag.revision} flag={flag} />}
    </div>
  );
}

function Changes({ flag }: { readonly flag: FlagDto }) {
  const { data: websites } = useSuspenseQuery(websitesQuery(flag.organizationId));
  const change = useChangeFlag(flag.id);
  const submit = (texts: Readonly<Record<string, string>>, draft: FlagDraft) =>
    change.mutate(
      { name: texts['name'] ?? '', ...optionsIn(texts, draft) },
      { onSuccess: () => notify('The flag is saved, and in force') },
    );
  return (
    <Section title="Settings">
      <FlagForm flag={flag} websites={websites} error={change.error} onSubmit={submit}>
        <Button type="submit" variant="primary" isBusy={change.isPending}>
          Save the flag
        </Button>
      </FlagForm>
    </Section>
  );
}
