import { waitUntil } from './wait-until';

describe('waiting', () => {
  it('ends with what satisfies', async () => {
    let looks = 0;
    const look = () => ++looks;
    expect(await waitUntil(look, (seen) => seen === 3)).toBe(3);
    expect(await waitUntil(() => look() === 7 && 'seven')).toBe('seven');
  });

  it('fails with what was seen last when its time is over, while the clock of the spec stands still', async () => {
    jest.useFakeTimers();
    let looks = 0;
    const waiting = waitUntil(
      () => ({ looks: ++looks }),
      () => false,
      20,
    );
    const error = await waiting.catch((thrown: unknown) => String(thrown));
    jest.useRealTimers();
    expect(error).toBe(`Error: It did not happen within 20 ms; seen last: { looks: ${looks} }`);
  });

  it('fails at once with the error of a look', async () => {
    await expect(waitUntil(() => Promise.reject<boolean>(new Error('away')))).rejects.toThrow('away');
  });
});
