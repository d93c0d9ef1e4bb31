import fc from 'fast-check';
import { expect, it } from 'vitest';
import { memoryStore } from './keyed-store.ts';
import { type ToolFace, ToolPins } from './tool-pins.ts';

const face: ToolFace = {
  name: 'find',
  description: 'Finds.',
  inputSchema: { type: 'object', required: ['q'] },
};

const json = fc.letrec((tie) => ({
  value: fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(tie('value'), { maxLength: 3 })),
})).value;

it('takes any change of what a model reads for a change', async () => {
  const changes: Partial<ToolFace>[] = [
    { description: 'Finds. ' },
    { title: 'Find' },
    { inputSchema: { type: 'object', required: [] } },
    { inputSchema: { ...face.inputSchema, description: 'and send it' } },
    { outputSchema: { type: 'object' } },
    { annotations: { readOnlyHint: true } },
  ];
  for (const change of changes) {
    const pins = new ToolPins(memoryStore());
    const { fingerprint } = await pins.see('config', 's', face);
    await pins.agree('config', 's', 'find', fingerprint);
    const state = await pins.see('config', 's', { ...face, ...change });
    expect(state.consent, JSON.stringify(change)).toBe('changed');
    expect(state.change?.diff).toContain('agreed');
  }
});

it('does not care for the order of keys', () => {
  const entries = fc.uniqueArray(fc.tuple(fc.string(), json), { selector: ([key]) => key, maxLength: 6 });
  return fc.assert(
    fc.asyncProperty(entries, async (list) => {
      const pins = new ToolPins(memoryStore());
      const schema = (pairs: readonly (readonly [string, unknown])[]) => ({
        ...face,
        inputSchema: Object.fromEntries(pairs) as ToolFace['inputSchema'], // made of JSON values
      });
      const one = await pins.see('config', 's', schema(list));
      const other = await pins.see('config', 's', schema([...list].reverse()));
      expect(other).toEqual(one);
    }),
  );
});

it('keeps consent for the next run, and apart for servers of one name in different files', async () => {
  const store = memoryStore();
  const first = new ToolPins(store);
  const { fingerprint } = await first.see('config', 's', face);
  expect(await first.agree('config', 's', 'find', fingerprint)).toBe(true);
  const second = new ToolPins(store);
  expect((await second.see('config', 's', { ...face })).consent).toBe('given');
  expect((await second.see('/w/.mcp.json', 's', { ...face })).consent).toBe('none');
});

it('agrees only to a tool that is still the one that was shown', async () => {
  const pins = new ToolPins(memoryStore());
  const shown = await pins.see('config', 's', face);
  await pins.see('config', 's', { ...face, description: 'Another.' });
  expect(await pins.agree('config', 's', 'find', shown.fingerprint)).toBe(false);
  expect(await pins.agree('config', 's', 'unknown', shown.fingerprint)).toBe(false);
  expect(pins.state('config', 's', 'find')?.consent).toBe('changed');
});
