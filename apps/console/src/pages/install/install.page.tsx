import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Host } from '../../addresses/address';
import { trackingHostQuery } from '../../api/tracking-host';
import { CodeBlock } from '../../components/code-block';
import { PageHeader } from '../../components/page-header';
import { FirstEvent } from './first-event';

const route = getRouteApi('/signed-in/organizations/$organizationId/websites/$websiteId/install');

/** The one line that a website needs, and whether it works. */
export function InstallPage() {
  const { id, name, domain } = route.useLoaderData();
  const { data: host } = useSuspenseQuery(trackingHostQuery);
  const script = `<script defer src="${host}/tracker.js" data-website-id="${id}"></script>`;
  return (
    <div className="page">
      <PageHeader title={`Install on ${name}`} description="One line in every page counts its visitors" />
      <section className="panel" aria-label="The script">
        <h2>1. Copy this line</h2>
        <CodeBlock text={script} label="the script" />
        <p className="soft">It has less than 8 KB, sets no cookies and keeps nothing in the browser.</p>
      </section>
      <section className="panel" aria-label="Where it belongs">
        <h2>2. Paste it into the head of every page</h2>
        <p>
          Into the template that all pages of <Host raw={domain} /> share, before <code>{'</head>'}</code>. Subdomains
          count, too.
        </p>
      </section>
      <section className="panel" aria-label="The first event">
        <h2>
          3. Open a page of <Host raw={domain} />
        </h2>
        <FirstEvent websiteId={id} domain={domain} />
      </section>
    </div>
  );
}
