import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { proxyTo, type BreakableProxy } from './breakable-proxy';

describe('a breakable proxy', () => {
  let echo: Server;
  let proxy: BreakableProxy;

  beforeEach(async () => {
    echo = createServer((socket) => void socket.on('error', () => undefined).pipe(socket)).listen(0, '127.0.0.1');
    await once(echo, 'listening');
    proxy = await proxyTo('127.0.0.1', (echo.address() as AddressInfo).port);
  });
  afterEach(async () => {
    await proxy.close();
    echo.close();
  });

  const opened = async (): Promise<Socket> => {
    const socket = connect(proxy.port, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };
  /** Everything that comes back up to and including the full stop. */
  const answer = async (socket: Socket): Promise<string> => {
    let text = '';
    while (!text.endsWith('.')) text += String((await once(socket, 'data'))[0]);
    return text;
  };
  const echoed = (socket: Socket, text: string): Promise<string> => {
    socket.write(`${text}.`);
    return answer(socket);
  };

  it('delivers every byte once over connections that were whole when it was mended', async () => {
    const socket = await opened();
    expect(await echoed(socket, 'before')).toBe('before.');
    await proxy.mend();
    await proxy.mend();
    expect(await echoed(socket, 'after')).toBe('after.');
    expect(await echoed(socket, 'once')).toBe('once.');
  });

  it('delivers once what was sent while it swallowed, over old and new connections', async () => {
    const old = await opened();
    expect(await echoed(old, 'before')).toBe('before.');
    proxy.swallow();
    const sockets = [old, await opened()];
    for (const socket of sockets) socket.write('meanwhile.');
    const answers = Promise.all(sockets.map(answer));
    await proxy.mend();
    expect(await answers).toEqual(['meanwhile.', 'meanwhile.']);
    for (const socket of sockets) expect(await echoed(socket, 'after')).toBe('after.');
  });

  it('strands what is connected and nothing else', async () => {
    const stranded = await opened();
    expect(await echoed(stranded, 'before')).toBe('before.');
    proxy.strand();
    stranded.write('held.');
    const other = await opened();
    expect(await echoed(other, 'other')).toBe('other.');
    expect(stranded.bytesRead).toBe('before.'.length);
    await proxy.mend();
    expect(await answer(stranded)).toBe('held.');
    expect(await echoed(other, 'once')).toBe('once.');
  });

  it('refuses connections until it is mended', async () => {
    const socket = await opened();
    expect(await echoed(socket, 'before')).toBe('before.');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await proxy.refuse();
    await closed;
    await expect(opened()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await proxy.mend();
    expect(await echoed(await opened(), 'after')).toBe('after.');
  });
});
