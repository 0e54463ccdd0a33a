import type { Installation } from '../installation/installation';
import { runLoad, type LoadResult } from '../load/run-load';

/** Creates links over HTTP for so many seconds. @throws Error when one was refused */
type CreateLinks = (connections: number, seconds: number) => Promise<LoadResult>;

/** Starts every app of an installation, the tracker and the projector to follow the links that its api creates. */
export async function startLinkCreation(installation: Installation): Promise<CreateLinks> {
  const { apiKey, subjects } = installation.registered;
  const links = { organizationId: subjects[0].organizationId, apiKey };
  const api = await installation.start('api');
  await installation.start('tracker');
  await installation.start('projector');
  let runs = 0;
  return async (connections, seconds) => {
    const result = await runLoad({ url: `${api.url}/v1/links`, links, connections, seconds, name: `run${runs++}` });
    if (result.failed > 0) throw new Error(`${result.failed} of ${result.answered + result.failed} were refused.`);
    return result;
  };
}
