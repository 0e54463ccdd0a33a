import { applyTheme, storedTheme } from './theme';

/** A script of its own, which runs before anything is shown: the page never flashes in the other theme. */
applyTheme(storedTheme());
