import type { LinkDto } from '@ledgerline/client';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Address } from '../../addresses/address';
import { linkQuery, useDeleteLink } from '../../api/links';
import { Button } from '../../components/button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { CopyButton } from '../../components/copy-button';
import { PageHeader } from '../../components/page-header';
import { notify } from '../../components/toasts';
import { LinkClicks } from './link-clicks';
import { LinkFacts } from './link-facts';
import { QrCode } from './qr-code';

const route = getRouteApi('/signed-in/organizations/$organizationId/links/$linkId');

/** One short link with its clicks. */
export function LinkPage() {
  const { organizationId, linkId } = route.useParams();
  const { data: link } = useSuspenseQuery(linkQuery(linkId));
  return (
    <div className="page">
      <PageHeader
        title={link.name}
        description={
          <span className="with-copy">
            <Address className="short-address" raw={link.shortUrl} />
            <CopyButton text={link.shortUrl} label={link.shortUrl} />
          </span>
        }
        actions={
          <>
            <Link
              className="button"
              to="/organizations/$organizationId/links/$linkId/edit"
              params={{ organizationId, linkId }}
            >
              Edit
            </Link>
            <DeleteButton link={link} />
          </>
        }
      />
      <div className="beside">
        <LinkClicks linkId={linkId} />
        <aside className="panel" aria-label="The link">
          <QrCode text={link.shortUrl} />
          <p className="actions">
            <a href={`${link.shortUrl}.svg`}>QR code as SVG</a> <a href={`${link.shortUrl}.png`}>as PNG</a>
          </p>
          <LinkFacts link={link} />
        </aside>
      </div>
    </div>
  );
}

function DeleteButton({ link: { id, name, shortUrl } }: { readonly link: LinkDto }) {
  const [isAsked, setAsked] = useState(false);
  const deleteLink = useDeleteLink();
  const navigate = route.useNavigate();
  const confirm = () =>
    deleteLink.mutate(id, {
      onSuccess: () => {
        notify(`Deleted ${name}`);
        void navigate({ to: '/organizations/$organizationId/links' });
      },
    });
  return (
    <>
      <Button onClick={() => setAsked(true)}>Delete</Button>
      {isAsked && (
        <ConfirmDialog
          title={`Delete ${name}?`}
          action="Delete link"
          isBusy={deleteLink.isPending}
          error={deleteLink.error}
          onConfirm={confirm}
          onClose={() => setAsked(false)}
        >
          <p>
            <Address raw={shortUrl} /> leads nowhere from then on, and its short name is never used again. This cannot
            be undone. Set an expiry instead to end it with another destination.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
