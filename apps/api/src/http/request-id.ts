import { AsyncLocalStorage } from 'node:async_hooks';

const requests = new AsyncLocalStorage<string>();

export const withinRequest = (id: string, work: () => void): void => requests.run(id, work);

/** The id of the request this runs for; undefined outside of one. */
export const currentRequestId = (): string | undefined => requests.getStore();
