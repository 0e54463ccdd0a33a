import type { LinkDto } from '@ledgerline/client';
import { Link } from '@tanstack/react-router';
import { readableAddress } from '../../addresses/readable-host';
import { CopyButton } from '../../components/copy-button';
import { Expiry } from '../../components/expiry';
import type { Column } from '../../components/table';
import { Time } from '../../components/time';

/** What the list shows of a link. */
export const linkColumns = (organizationId: string): readonly Column<LinkDto>[] => [
  {
    header: 'Name',
    cell: ({ id, name, externalId }) => (
      <>
        <Link
          className="clip"
          to="/organizations/$organizationId/links/$linkId"
          params={{ organizationId, linkId: id }}
          title={name}
        >
          {name}
        </Link>
        {externalId !== null && <Clipped className="soft" text={externalId} />}
      </>
    ),
  },
  {
    header: 'Short address',
    cell: ({ shortUrl, slug }) => (
      <span className="with-copy">
        <Clipped text={`/${slug}`} />
        <CopyButton text={shortUrl} label={shortUrl} />
      </span>
    ),
  },
  { header: 'Destination', cell: ({ targetUrl }) => <Clipped text={targetUrl} shown={readableAddress(targetUrl)} /> },
  {
    header: 'Expires',
    cell: ({ expiresAt }) => <Expiry at={expiresAt} isDay />,
  },
  { header: 'Created', cell: ({ createdAt }) => <Time at={createdAt} isDay /> },
];

interface ClippedProps {
  /** In the tooltip, too. */
  readonly text: string;
  readonly shown?: string;
  readonly className?: string;
}

const Clipped = ({ text, shown = text, className = '' }: ClippedProps) => (
  <span className={`clip ${className}`} title={text}>
    {shown}
  </span>
);
