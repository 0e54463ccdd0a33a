import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Host } from '../../addresses/address';
import { messageOf } from '../../api/failure';
import { firstEventQuery, trackingHostQuery } from '../../api/websites';
import { PageHeader } from '../../components/page';
import { Badge, CodeBlock } from '../../components/page-parts';
import { Notice } from '../../components/states';
import { Tabs } from '../../components/tabs';
import { DEFAULT_GUIDE, installGuides } from '../website/install-guides';

const route = getRouteApi('/signed-in/organizations/$organizationId/websites/$websiteId/install');

/** Shows how the script gets into a website of each kind, and whether it works. */
export function InstallPage() {
  const { id, name, domain, visitorIdentity } = route.useRouteContext().website;
  const { guide: chosen = DEFAULT_GUIDE } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: host } = useSuspenseQuery(trackingHostQuery);
  const keepsId = visitorIdentity !== 'daily';
  const guides = installGuides({ host, id, keepsId });
  const [first] = guides;
  const guide = guides.find((each) => each.name === chosen) ?? first;
  return (
    <div className="page">
      <PageHeader title={`Install on ${name}`} description="One line in every page counts its visitors" />
      <section className="panel" aria-label="The script">
        <h2>1. Paste this</h2>
        <Tabs
          label="Kinds of websites"
          tabs={guides.map((each) => [each.name, each.label])}
          value={guide.name}
          onChange={(next) => void navigate({ search: { guide: next }, replace: true })}
        >
          <p>{guide.where}</p>
          <CodeBlock text={guide.code} label="the code" />
        </Tabs>
        <p className="soft">
          The script has less than 9 KB and sets no cookies.{' '}
          {keepsId
            ? 'As its visitors are recognized for longer than a day, data-storage="local" keeps a random id in the browser, for which most laws want consent. Without it the id changes with their address and browser.'
            : 'It keeps nothing in the browser.'}
        </p>
      </section>
      <section className="panel" aria-label="The first event">
        <h2>
          2. Open a page of <Host raw={domain} />
        </h2>
        <FirstEvent websiteId={id} domain={domain} />
      </section>
      <section className="panel" aria-label="Your own visits">
        <h2>3. Exclude your own visits</h2>
        <p>
          Open this address once in each of your browsers, and agree. The same with <code>#ledgerline-on</code> counts
          them again.
        </p>
        <CodeBlock text={`https://${domain}/#ledgerline-off`} label="the address" />
      </section>
    </div>
  );
}

interface FirstEventProps {
  readonly websiteId: string;
  readonly domain: string;
}

/** Waits for the first visitor, says when one has come, and leads to where it is counted. */
function FirstEvent({ websiteId, domain }: FirstEventProps) {
  const params = route.useParams();
  const { data: hasArrived = false, error } = useQuery(firstEventQuery(websiteId));
  return (
    <>
      <div role="status" className="first-event">
        {hasArrived ? (
          <p>
            <Badge tone="good">Works</Badge> The first event has arrived: <Host raw={domain} /> is counted.{' '}
            <Link to="/organizations/$organizationId/websites/$websiteId" params={params}>
              See it on the dashboard
            </Link>
          </p>
        ) : (
          <p>
            <span className="waiting" aria-hidden="true" /> Waiting for the first event …
          </p>
        )}
      </div>
      {error && <Notice tone="warning">{messageOf(error)} It is tried again.</Notice>}
      {!hasArrived && <Hints websiteId={websiteId} domain={domain} />}
    </>
  );
}

const Hints = ({ websiteId, domain }: FirstEventProps) => (
  <details className="more">
    <summary>Nothing arrives?</summary>
    <ul className="hints">
      <li>
        The page must be on <Host raw={domain} />, on a subdomain of it, or on an origin that the website allows.
      </li>
      <li>Browsers that ask not to be tracked (Do Not Track, Global Privacy Control) are not counted.</li>
      <li>An ad blocker may stop the script: try a window without extensions.</li>
      <li>Automated browsers and bots are recognised and not counted.</li>
    </ul>
    <p>To look around before there are visitors, let the product simulate some, in its folder:</p>
    <CodeBlock text={`npm run simulate -- --website ${websiteId}`} label="the command" />
  </details>
);
