import { useSuspenseQuery } from '@tanstack/react-query';
import type { PagePreviewDto } from '@ledgerline/client';
import { ReadableAddress } from '../../addresses/address';
import { readableHost } from '../../addresses/readable-address';
import { trackingHostQuery } from '../../api/websites';
import type { Texts } from '../../components/form';
import { withScheme } from './link-address';
import { QrCode } from './qr-code';

interface LinkPreviewProps {
  /** As they are in the form. */
  readonly texts: Texts;
  /** The words of the destination about itself; undefined until it is known. */
  readonly page: PagePreviewDto | undefined;
}

/** Shows how a link looks: its address, in a chat, and as a QR code. */
export function LinkPreview({ texts, page }: LinkPreviewProps) {
  const { data: host } = useSuspenseQuery(trackingHostQuery);
  const slug = texts['slug']?.trim() ?? '';
  const isName = /^[\w-]{1,50}$/.test(slug);
  return (
    <aside className="panel" aria-label="Preview">
      <h2>Preview</h2>
      <p className="short-address">
        <ReadableAddress raw={host} />/<strong>{isName ? slug : '…'}</strong>
      </p>
      <ChatCard texts={texts} page={page} shortHost={host} />
      {isName ? (
        <QrCode text={`${host}/${slug}`} />
      ) : (
        <p className="soft">Its QR code is shown for a short name of 1 to 50 letters, digits, _ and -.</p>
      )}
    </aside>
  );
}

/** Shows what chats show: the social preview of the link, or without one what they find at its destination. */
function ChatCard({ texts, page, shortHost }: LinkPreviewProps & { readonly shortHost: string }) {
  const target = withScheme(texts['targetUrl'] ?? '');
  const own = texts['ogTitle']?.trim();
  const text = texts['ogDescription']?.trim();
  const title = own || page?.title;
  const description = text || page?.description;
  const host = hostOf(own || text ? shortHost : target);
  if (host === '') return null;
  return (
    <figure className="chat-card">
      <figcaption className="soft small">In a chat</figcaption>
      <p className="soft small">{readableHost(host)}</p>
      <p>
        <strong>{title ?? host}</strong>
      </p>
      {description && <p className="small">{description}</p>}
    </figure>
  );
}

const hostOf = (address: string): string => /^https?:\/\/([^/?#]+)/i.exec(address)?.[1] ?? '';
