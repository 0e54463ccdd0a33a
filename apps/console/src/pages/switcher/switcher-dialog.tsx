import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { Building2, ChartColumn, Globe, Link2, Plus, UserRound, type IconNode } from 'lucide';
import { useEffect, useId, useState, type KeyboardEvent } from 'react';
import type { WebsiteDto } from '@ledgerline/client';
import { readableAddress, readableHost } from '../../addresses/readable-address';
import { foundLinksQuery } from '../../api/links';
import { isAtLeast, organizationsQuery, useOwnRole } from '../../api/organizations';
import { websitesQuery } from '../../api/websites';
import { Button, Icon } from '../../components/button';
import { Dialog } from '../../components/overlays';
import { useNavigatedPages } from '../../layout/navigation';
import { WebsiteMark } from '../../marks/website-mark';
import { WEBSITE_PAGES } from '../website/website-pages';

/** Something that can be opened. */
interface Destination {
  /** The heading that it is below. */
  readonly group: string;
  readonly label: string;
  /** A text by which it is found, too, beside its label. */
  readonly detail?: string;
  readonly icon: IconNode;
  /** Has a mark of its own in the place of the icon. */
  readonly website?: WebsiteDto;
  readonly open: () => void;
}

/** Typing filters, the arrow keys choose, Enter opens: a combobox whose list is always shown. */
export function SwitcherDialog({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const found = useFound(text.trim());
  const at = Math.min(chosen, found.length - 1);
  const id = useId();
  useEffect(() => document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: 'nearest' }), [id, at]);
  const open = (destination: Destination | undefined) => {
    if (!destination) return;
    onClose();
    destination.open();
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter') open(found[at]);
    const next = nextOf(event.key, at, found.length);
    if (next === undefined) return;
    event.preventDefault();
    setChosen(next);
  };
  return (
    <Dialog title="Go to" className="switcher" onClose={onClose}>
      <div className="switcher-head">
        <input
          className="control"
          role="combobox"
          aria-label="A website, link or page"
          aria-autocomplete="list"
          aria-expanded={found.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={found.length > 0 ? `${id}-${at}` : undefined}
          placeholder="A website, link or page"
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            setChosen(0);
          }}
          onKeyDown={press}
        />
        <Button onClick={onClose}>Close</Button>
      </div>
      <FoundDestinations id={id} found={found} at={at} onPoint={setChosen} onOpen={open} />
      <p className="soft small" role="status">
        {found.length === 0 && 'Nothing is called so'}
      </p>
    </Dialog>
  );
}

interface FoundDestinationsProps {
  /** The ids of the list and its options begin with it. */
  readonly id: string;
  readonly found: readonly Destination[];
  /** The index of the chosen one. */
  readonly at: number;
  readonly onPoint: (index: number) => void;
  readonly onOpen: (destination: Destination) => void;
}

const FoundDestinations = ({ id, found, at, onPoint, onOpen }: FoundDestinationsProps) => (
  <div id={`${id}-list`} className="switcher-list" role="listbox" aria-label="Found">
    {groupsOf(found).map(({ group, members }) => (
      <div key={group} role="group" aria-labelledby={`${id}-${group}`}>
        <p id={`${id}-${group}`} className="soft" role="presentation">
          {group}
        </p>
        {members.map(({ destination, index }) => (
          <div
            key={index}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => onOpen(destination)}
            onPointerMove={() => onPoint(index)}
          >
            {destination.website ? <WebsiteMark website={destination.website} /> : <Icon of={destination.icon} />}
            <span>{destination.label}</span>
            {destination.detail !== undefined && <span className="soft">{destination.detail}</span>}
          </div>
        ))}
      </div>
    ))}
  </div>
);

/** The place that a key leads to; undefined for other keys. */
function nextOf(key: string, at: number, length: number): number | undefined {
  if (length === 0) return undefined;
  if (key === 'ArrowDown') return (at + 1) % length;
  return key === 'ArrowUp' ? (at - 1 + length) % length : undefined;
}

/** Neighbours of the same group below its heading, with their places in the list. */
function groupsOf(found: readonly Destination[]) {
  const names = [...new Set(found.map(({ group }) => group))];
  return names.map((group) => ({
    group,
    members: found.flatMap((destination, index) => (destination.group === group ? [{ destination, index }] : [])),
  }));
}

/** Returns what a text finds: all of it without one. Links are many, so that they are searched by the api. */
function useFound(text: string): readonly Destination[] {
  const { organizationId: shown } = useParams({ strict: false });
  const { data: organizations = [] } = useQuery(organizationsQuery);
  const organizationId = organizations.find(({ id }) => id === shown)?.id ?? organizations[0]?.id ?? '';
  const destinations = useDestinations(organizationId);
  const links = useLinks(organizationId, text);
  const words = text.toLowerCase().split(/\s+/);
  const has = ({ label, detail = '', group }: Destination) =>
    words.every((word) => `${label} ${detail} ${group}`.toLowerCase().includes(word));
  return [...destinations.filter(has), ...links];
}

function useLinks(organizationId: string, text: string): readonly Destination[] {
  const navigate = useNavigate();
  const { data: links = [] } = useQuery({
    ...foundLinksQuery(organizationId, text),
    enabled: text !== '' && organizationId !== '',
  });
  if (text === '') return [];
  return links.map(({ id, name, shortUrl }) => ({
    group: 'Links',
    label: name,
    detail: readableAddress(shortUrl),
    icon: Link2,
    open: () =>
      void navigate({
        to: '/organizations/$organizationId/links/$linkId',
        params: { organizationId, linkId: id },
      }),
  }));
}

/** The websites and pages that the person may open: first those of the website that is shown. */
function useDestinations(organizationId: string): readonly Destination[] {
  const { websiteId } = useParams({ strict: false });
  const query = { ...websitesQuery(organizationId), enabled: organizationId !== '' };
  const { data: websites = [] } = useQuery(query);
  const website = websites.find(({ id }) => id === websiteId);
  const ofWebsite = usePagesOfWebsite(organizationId, website);
  const ofOrganization = usePagesOfOrganization(organizationId);
  const navigate = useNavigate();
  const others = websites.map((each): Destination => ({
    group: 'Websites',
    label: each.name,
    detail: readableHost(each.domain),
    icon: Globe,
    website: each,
    open: () =>
      void navigate({
        to: '/organizations/$organizationId/websites/$websiteId',
        params: { organizationId, websiteId: each.id },
      }),
  }));
  return [...ofWebsite, ...others, ...ofOrganization];
}

/** Returns the pages of a website that its strip of tabs has. */
function usePagesOfWebsite(organizationId: string, website: WebsiteDto | undefined): readonly Destination[] {
  const navigate = useNavigate();
  if (!website) return [];
  const params = { organizationId, websiteId: website.id };
  return WEBSITE_PAGES.map(({ path, title }) => ({
    group: `Pages of ${website.name}`,
    label: title,
    icon: ChartColumn,
    open: () =>
      void navigate({
        to: '/organizations/$organizationId/websites/$websiteId/$report',
        params: { ...params, report: path },
      }),
  }));
}

/** Pages of the organization and of the account, and other organizations. */
function usePagesOfOrganization(organizationId: string): readonly Destination[] {
  const navigate = useNavigate();
  const { data: organizations = [] } = useQuery(organizationsQuery);
  const mayCreate = isAtLeast(useOwnRole(organizationId), 'admin');
  const params = { organizationId };
  const pages = useNavigatedPages(organizationId).flatMap(({ pages: each }) => each);
  const page = (label: string, icon: IconNode, open: () => unknown, detail?: string): Destination => ({
    group: 'Pages',
    label,
    icon,
    open: () => void open(),
    ...(detail === undefined ? {} : { detail }),
  });
  return [
    ...pages.map(({ label, to, icon }) => page(label, icon, () => navigate({ to, params }))),
    ...(mayCreate
      ? [page('New website', Plus, () => navigate({ to: '/organizations/$organizationId/websites/new', params }))]
      : []),
    page('New link', Plus, () => navigate({ to: '/organizations/$organizationId/links/new', params })),
    page('Your account', UserRound, () => navigate({ to: '/account' }), 'Settings: name, address, password'),
    ...organizations
      .filter(({ id }) => id !== organizationId)
      .map(({ id, name }) => ({
        group: 'Organizations',
        label: name,
        icon: Building2,
        open: () => void navigate({ to: '/organizations/$organizationId/websites', params: { organizationId: id } }),
      })),
  ];
}
