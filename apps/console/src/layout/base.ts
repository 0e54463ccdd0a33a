/** Where the api serves the console. */
export const BASE = '/console';
