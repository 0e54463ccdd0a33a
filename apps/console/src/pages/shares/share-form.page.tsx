import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { CreateShareDto, ShareDto, WebsiteDto } from '@ledgerline/client';
import { DASHBOARD_PANELS } from '@ledgerline/contracts/events/share.events';
import { useCreateRecord, useUpdateRecord } from '../../api/record-changes';
import { sharesQuery } from '../../api/websites';
import { Checkbox, ChoiceInput, FieldGroup } from '../../components/choices';
import { Input } from '../../components/field';
import { Form, FormActions, type RequestState, type Texts } from '../../components/form';
import { PageHeader } from '../../components/page';
import { CodeBlock, Section } from '../../components/page-parts';
import { instantOf, localText, LocalTimeInput } from '../../components/text-fields';
import { notify } from '../../components/toasts';
import { reportAt } from '../website/report/reports';
import { FilterBar } from '../website/view/filter-bar';
import type { ViewFilter } from '../website/view/view-search';

const newRoute = getRouteApi('/signed-in/organizations/$organizationId/websites/$websiteId/shares/new');

export function NewSharePage() {
  const website = newRoute.useLoaderData();
  const create = useCreateRecord('/v1/shares');
  const navigate = useNavigate();
  const { organizationId, id: websiteId } = website;
  const submit = (settings: Settings) =>
    create.mutate(
      { organizationId, websiteId, ...settings },
      {
        onSuccess: ({ id: shareId }) =>
          void navigate({
            to: '/organizations/$organizationId/websites/$websiteId/shares/$shareId',
            params: { organizationId, websiteId, shareId },
          }),
      },
    );
  return (
    <div className="page">
      <PageHeader title="New share" description={`The dashboard of ${website.name}, for people without an account`} />
      <ShareForm website={website} change={create} submit="Create the share" onSubmit={submit} />
    </div>
  );
}

const editRoute = getRouteApi('/signed-in/organizations/$organizationId/websites/$websiteId/shares/$shareId');

export function EditSharePage() {
  const { organizationId, websiteId, shareId } = editRoute.useParams();
  const { data: shares } = useSuspenseQuery(sharesQuery(organizationId, websiteId));
  const change = useUpdateRecord('/v1/shares', shareId);
  const share = shares.find(({ id }) => id === shareId);
  if (!share) return null; // it is being revoked
  const submit = (settings: Settings) =>
    change.mutate(settings, { onSuccess: () => notify('Saved; what is no longer shown is hidden already') });
  return (
    <div className="page">
      <PageHeader title={`Share for ${share.name}`} />
      <Section title="Address" description="Whoever has it may open it and pass it on.">
        <CodeBlock text={share.url} label="the address" />
        {!share.hasPassword && (
          <>
            <p>As a part of another page:</p>
            <CodeBlock text={frameOf(share)} label="the frame" />
          </>
        )}
      </Section>
      <ShareForm
        key={share.revision}
        website={{ id: websiteId, organizationId }}
        share={share}
        change={change}
        submit="Save"
        onSubmit={submit}
      />
    </div>
  );
}

const frameOf = ({ url }: ShareDto): string =>
  `<iframe src="${url}?embed" title="Statistics" width="100%" height="900" style="border: 0" loading="lazy"></iframe>`;

type Settings = Omit<CreateShareDto, 'organizationId' | 'websiteId'>;

interface ShareFormProps {
  readonly website: Pick<WebsiteDto, 'id' | 'organizationId'>;
  /** As it is; undefined for a new one. */
  readonly share?: ShareDto;
  readonly change: RequestState;
  readonly submit: string;
  readonly onSubmit: (settings: Settings) => void;
}

/** Whom it is for, what it shows, until when, and with which password. */
function ShareForm({ website, share, change, submit, onSubmit }: ShareFormProps) {
  const [filters, setFilters] = useState<readonly ViewFilter[]>(share?.filters ?? []);
  const shown = share?.panels ?? DASHBOARD_PANELS;
  const send = (texts: Texts) =>
    onSubmit({
      name: texts['name'] ?? '',
      panels: DASHBOARD_PANELS.filter((panel) => texts[panel] !== undefined),
      filters: [...filters],
      // one in the past can stay
      ...(texts['expiresAt'] === localText(share?.expiresAt ?? null)
        ? {}
        : { expiresAt: instantOf(texts['expiresAt']) }),
      ...(texts['withoutPassword'] ? { password: null } : texts['password'] ? { password: texts['password'] } : {}),
    });
  return (
    <>
      <Section title="Filters" description="Applied to all figures; viewers cannot remove them.">
        <div className="analytics">
          <div className="view-bar" role="group" aria-label="Filters of the share" tabIndex={-1}>
            <FilterBar
              view={{
                filters,
                select: ({ filters: next = [] }) => setFilters(next),
                scope: { website: website.id, preset: 'last_90d' },
              }}
            />
          </div>
        </div>
      </Section>
      <Section title="Settings">
        <Form onSubmit={send} change={change}>
          <Input label="Name" name="name" hint="Shown to its readers" required defaultValue={share?.name} />
          <FieldGroup legend="Lists below the figures" className="group" field="panels">
            {DASHBOARD_PANELS.map((panel) => (
              <ChoiceInput
                key={panel}
                type="checkbox"
                name={panel}
                label={reportAt(panel)?.title ?? panel}
                defaultChecked={shown.includes(panel)}
              />
            ))}
          </FieldGroup>
          <LocalTimeInput label="Expires" name="expiresAt" at={share?.expiresAt ?? null} hint="Never, if empty." />
          <Input
            label={share?.hasPassword ? 'Another password' : 'Password'}
            name="password"
            type="password"
            autoComplete="new-password"
            hint={`At least 10 characters. ${share?.hasPassword ? 'Empty: unchanged.' : 'Empty: no password.'}`}
          />
          {share?.hasPassword && <Checkbox label="Ask for no password" name="withoutPassword" />}
          <FormActions submit={submit} variant="primary">
            <Link
              className="button"
              to="/organizations/$organizationId/websites/$websiteId/settings"
              params={{ organizationId: website.organizationId, websiteId: website.id }}
            >
              Back to the settings
            </Link>
          </FormActions>
        </Form>
      </Section>
    </>
  );
}
