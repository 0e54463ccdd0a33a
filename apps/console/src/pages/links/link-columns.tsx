import type { LinkDto } from '@ledgerline/client';
import { Link } from '@tanstack/react-router';
import { CopyButton } from '../../components/copy-button';
import { Expiry } from '../../components/expiry';
import type { Column } from '../../components/table';
import { Time } from '../../components/time';

/** What the list shows of a link. */
export const linkColumns = (organizationId: string): readonly Column<LinkDto>[] => [
  {
    header: 'Name',
    cell: ({ id, name }) => (
      <Link
        className="clip"
        to="/organizations/$organizationId/links/$linkId"
        params={{ organizationId, linkId: id }}
        title={name}
      >
        {name}
      </Link>
    ),
  },
  {
    header: 'Short address',
    cell: ({ shortUrl, slug }) => (
      <span className="with-copy">
        <span title={shortUrl}>/{slug}</span>
        <CopyButton text={shortUrl} label={shortUrl} />
      </span>
    ),
  },
  { header: 'Destination', cell: ({ targetUrl }) => <Clipped text={targetUrl} /> },
  { header: 'External id', cell: ({ externalId }) => <Clipped text={externalId ?? '–'} /> },
  { header: 'Expires', cell: ({ expiresAt }) => <Expiry at={expiresAt} /> },
  { header: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
];

const Clipped = ({ text }: { readonly text: string }) => (
  <span className="clip" title={text}>
    {text}
  </span>
);
