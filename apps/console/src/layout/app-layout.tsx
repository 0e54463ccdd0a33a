import { useQuery } from '@tanstack/react-query';
import { Outlet, useLocation, useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { sessionQuery } from '../api/session';
import { Button } from '../components/button';
import { AccountMenu } from './account-menu';
import { Brand } from './brand';
import { Navigation } from './navigation';
import { OrganizationMenu } from './organization-menu';

/** The frame of every page of a signed-in person. */
export function AppLayout() {
  const { pathname } = useLocation();
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
