import { existsSync } from 'node:fs';

const PATHS = [process.env['CHROME_PATH'], '/usr/bin/chromium', '/usr/bin/google-chrome', '/usr/bin/chromium-browser'];

/** The Chromium of this machine, or what CHROME_PATH names; undefined if there is none. */
export const CHROMIUM = PATHS.find((path) => path !== undefined && existsSync(path));

/** Pictures have the scrollbars that people see. */
export const WITH_SCROLLBARS = { ignoreDefaultArgs: ['--hide-scrollbars'] };

/** As root, and without the menus of the address bar: these are pages of their own, which load with each window. */
export const CHROMIUM_FLAGS = ['--no-sandbox', '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup'];
