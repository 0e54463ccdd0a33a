import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ShareDto, WebsiteDto } from '@ledgerline/client';
import { sharesQuery } from '../../api/websites';
import { CopyButton } from '../../components/button';
import { DeleteButton } from '../../components/delete-button';
import { Badge, CodeBlock, Expiry, Section } from '../../components/page-parts';
import { ErrorState, Skeleton } from '../../components/states';
import { Table, type TableColumn } from '../../components/table';
import { notify } from '../../components/toasts';
import { describeFilter } from '../website/view/filter-fields';

/** Where the statistics of a website are seen without an account. */
export function SharesSection({ website, mayChange }: { readonly website: WebsiteDto; readonly mayChange: boolean }) {
  const { id: websiteId, organizationId } = website;
  const { data: shares, error, refetch } = useQuery(sharesQuery(organizationId, websiteId));
  const params = { organizationId, websiteId };
  return (
    <Section
      title="Sharing"
      description="Addresses at which the dashboard is seen without an account. Whoever has one may open it and pass it on."
      actions={
        mayChange && (
          <Link className="button" to="/organizations/$organizationId/websites/$websiteId/shares/new" params={params}>
            New share
          </Link>
        )
      }
    >
      {website.isPublic && (
        <>
          <p>Its statistics are public: everybody may see them at</p>
          <CodeBlock text={`${location.origin}/share/${websiteId}`} label="the public address" />
        </>
      )}
      {error && shares === undefined && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!error && shares === undefined && <Skeleton lines={2} label="the shares" />}
      {shares?.length === 0 && <p className="soft">Not shared yet.</p>}
      {shares && shares.length > 0 && (
        <Table
          caption="Shares"
          columns={mayChange ? [...COLUMNS, ACTIONS] : COLUMNS}
          rows={shares}
          keyOf={({ id }) => id}
        />
      )}
    </Section>
  );
}

const COLUMNS: readonly TableColumn<ShareDto>[] = [
  {
    header: 'For',
    cell: ({ name, filters }) => (
      <span className="two-lines">
        <span className="clip" title={name}>
          {name}
        </span>
        <span className="clip soft">{filters.map(describeFilter).join(', ') || 'All figures'}</span>
      </span>
    ),
  },
  {
    header: 'Address',
    cell: ({ name, url }) => (
      <span className="with-copy">
        <a href={url} target="_blank" rel="noreferrer">
          Open
        </a>
        <CopyButton text={url} label={`the address for ${name}`} />
      </span>
    ),
  },
  {
    header: 'Password',
    cell: ({ hasPassword }) => (hasPassword ? <Badge tone="good">Asked</Badge> : <span className="soft">None</span>),
  },
  { header: 'Expires', cell: ({ expiresAt }) => <Expiry at={expiresAt} /> },
];

const ACTIONS: TableColumn<ShareDto> = { header: 'Actions', cell: (share) => <ShareActions share={share} /> };

function ShareActions({ share }: { readonly share: ShareDto }) {
  const { id, name, organizationId, websiteId } = share;
  return (
    <span className="with-copy">
      <Link
        className="button quiet"
        to="/organizations/$organizationId/websites/$websiteId/shares/$shareId"
        params={{ organizationId, websiteId, shareId: id }}
        aria-label={`Edit the share for ${name}`}
      >
        Edit
      </Link>
      <DeleteButton
        path="/v1/shares"
        record={share}
        text="Revoke"
        aria-label={`Revoke the share for ${name}`}
        title={`Revoke the share for ${name}?`}
        action="Revoke"
        onDeleted={() => notify(`${name} cannot see it any more`)}
      >
        <p>Its address shows nothing from then on, also in pages that embed it. This cannot be undone.</p>
      </DeleteButton>
    </span>
  );
}
