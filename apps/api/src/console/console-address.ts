/** An address of the console, but none of its assets. */
const PAGE = /^\/console\/(?!assets\/)[^?#]*/;

/** Every page of the console is one resource of the api: its own router reads the address. */
export const consoleAddress = (url: string): string => url.replace(PAGE, '/console');
