import { onlineManager, useQuery, useQueryClient } from '@tanstack/react-query';
import { Outlet, useLocation, useNavigate, useParams, useRouteContext, useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { sessionQuery, useSignOut } from '../api/account';
import { messageOf } from '../api/failure';
import { organizationsQuery } from '../api/organizations';
import { Button } from '../components/button';
import { Menu, MenuItem, MenuLine } from '../components/overlays';
import { Brand } from '../components/page';
import { notify } from '../components/toasts';
import { Navigation } from './navigation';
import { ThemeItems } from './theme';

/** The frame of every page of a signed-in person. */
export function AppLayout() {
  const { pathname } = useLocation();
  const { Switcher } = useRouteContext({ from: '__root__' });
  useSignInWhenSessionEnds();
  const [openedOn, setOpenedOn] = useState<string>();
  const isOpen = openedOn === pathname; // another page closes it
  return (
    <div className="app">
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <header className="top">
        <Brand />
        <OrganizationMenu />
        <span className="gap" />
        <Switcher />
        <AccountMenu />
        <Button
          className="navigation-toggle"
          aria-expanded={isOpen}
          aria-controls="navigation"
          onClick={() => setOpenedOn(isOpen ? undefined : pathname)}
        >
          Menu
        </Button>
      </header>
      <Navigation isOpen={isOpen} />
      <Main pathname={pathname} />
      <Offline />
    </div>
  );
}

/** Lets the routes lead to the sign-in once a request was refused for want of a session. */
function useSignInWhenSessionEnds(): void {
  const { data: session } = useQuery(sessionQuery);
  const router = useRouter();
  useEffect(() => {
    if (session === null) void router.invalidate();
  }, [session, router]);
}

/** Says why what is asked for does not come. */
function Offline() {
  const isOnline = useSyncExternalStore(
    (change) => onlineManager.subscribe(change),
    () => onlineManager.isOnline(),
  );
  return (
    <p className="offline" role="status" hidden={isOnline}>
      {!isOnline && 'The browser is offline: the rest comes later.'}
    </p>
  );
}

/** Takes the focus when a page is opened, so that keyboards and screen readers continue in it. */
function Main({ pathname }: { readonly pathname: string }) {
  const main = useRef<HTMLElement>(null);
  const first = useRef(pathname);
  useEffect(() => {
    if (first.current !== pathname) main.current?.focus();
    first.current = '';
  }, [pathname]);
  return (
    <main id="main" ref={main} tabIndex={-1}>
      <Outlet />
    </main>
  );
}

/** The signed-in person, the theme, and the way out. */
function AccountMenu() {
  const { user } = useRouteContext({ from: '/signed-in' });
  const router = useRouter();
  const queryClient = useQueryClient();
  const signOut = useSignOut();
  const leave = () =>
    signOut.mutate(undefined, {
      // what was seen is forgotten after the page that shows it is left
      onSuccess: () => void router.navigate({ to: '/sign-in' }).then(() => queryClient.removeQueries()),
      onError: (error) => notify(messageOf(error)),
    });
  return (
    <Menu label="Account" shown={user.name}>
      <p className="menu-note">{user.email}</p>
      <MenuItem onSelect={() => void router.navigate({ to: '/account' })}>Your account</MenuItem>
      <ThemeItems />
      <MenuLine />
      <MenuItem onSelect={leave}>Sign out</MenuItem>
    </Menu>
  );
}

/** Shows which organization is shown, if one is; choosing one leads to its websites. */
function OrganizationMenu() {
  const { organizationId } = useParams({ strict: false });
  const { data: organizations = [] } = useQuery(organizationsQuery);
  const navigate = useNavigate();
  const current = organizations.find(({ id }) => id === organizationId);
  if (organizations.length === 0) return null;
  return (
    <Menu label="Organization" shown={current?.name ?? 'Organizations'}>
      {organizations.map(({ id, name }) => (
        <MenuItem
          key={id}
          onSelect={() =>
            void navigate({ to: '/organizations/$organizationId/websites', params: { organizationId: id } })
          }
        >
          {name}
        </MenuItem>
      ))}
      <MenuItem onSelect={() => void navigate({ to: '/new-organization' })}>New organization …</MenuItem>
    </Menu>
  );
}
