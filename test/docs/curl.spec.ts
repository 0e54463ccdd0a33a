import { curlCommandsIn, readCurl } from './curl';

describe('a curl command of the documentation', () => {
  it('is read as a shell and curl read it', () => {
    const command = `curl -s 'http://localhost:3001/batch?client_id=a b' -A "Mozilla/5.0 (X11)" \\
      -H 'Content-Type: application/json' -d '[{"a":"b c"}]'`;
    expect(readCurl(command)).toEqual({
      url: 'http://localhost:3001/batch?client_id=a b',
      method: 'POST',
      headers: { 'user-agent': 'Mozilla/5.0 (X11)', 'content-type': 'application/json' },
      body: '[{"a":"b c"}]',
    });
  });

  it('may be a plain question', () => {
    expect(readCurl('curl http://localhost/health')).toEqual({
      url: 'http://localhost/health',
      method: 'GET',
      headers: {},
    });
  });

  it('is not silently misread', () => {
    expect(() => readCurl('curl --data-raw x http://localhost')).toThrow('--data-raw');
  });

  it('is found between other lines', () => {
    expect(curlCommandsIn('Say:\n\n  curl a \\\n    -d b\nthen\n  curl c')).toEqual(['curl a -d b', 'curl c']);
  });
});
