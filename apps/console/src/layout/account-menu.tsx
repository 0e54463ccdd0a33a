import { useQueryClient } from '@tanstack/react-query';
import { useRouteContext, useRouter } from '@tanstack/react-router';
import { messageOf } from '../api/failure';
import { useSignOut } from '../api/session';
import { Menu, MenuItem } from '../components/menu';
import { notify } from '../components/toasts';
import { ThemeItems } from '../theme/theme-items';

/** The signed-in person, the theme, and the way out. */
export function AccountMenu() {
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
      <MenuItem onSelect={leave}>Sign out</MenuItem>
    </Menu>
  );
}
