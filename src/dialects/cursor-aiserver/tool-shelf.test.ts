import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/index.ts';
import { numberedTools } from '../../gateway/native-tools.ts';
import { agentCall } from './fixtures/scripted-host.ts';
import { ToolShelf } from './tool-shelf.ts';

function readOn(numbers: readonly number[], args: JsonObject) {
  const shelf = new ToolShelf(numberedTools, numbers, []);
  const names = shelf.list('agent').map(({ name }) => name);
  const tool = shelf.find('read_file');
  if (tool === undefined) return { names };
  const read = shelf.readArguments(tool, agentCall({ id: 'c', name: 'read_file', args }));
  if (!read.ok) throw new Error(read.message);
  const { number, name } = tool;
  const { message, lost } = numberedTools.messages.encodeCall({ callId: 'c', name, number, args: read.args });
  return { names, number, params: message.params, lost };
}

describe('a client that knows reading only under its older number', () => {
  it('is offered it and told the range as first and last line', () => {
    const { names, number, params, lost } = readOn([5, 6], { path: 'a', offset: 3, limit: 4 });
    expect(names).toContain('read_file');
    expect(number).toBe(5);
    expect(params).toMatchObject({
      case: 'readFileParams',
      value: {
        relativeWorkspacePath: 'a',
        startLineOneIndexed: 3,
        endLineOneIndexedInclusive: 6,
        readEntireFile: false,
      },
    });
    expect(lost).toEqual([]);
  });

  it('is told to read the whole file when no range was asked for', () => {
    const { params, lost } = readOn([5], { path: 'a' });
    expect(params?.value).toMatchObject({ relativeWorkspacePath: 'a', readEntireFile: true });
    expect(lost).toEqual([]);
  });

  it('cannot be told lines counted from the end, which the model learns', () => {
    const { params, lost } = readOn([5], { path: 'a', offset: -5 });
    expect(params?.value).toMatchObject({ readEntireFile: true });
    expect(lost).toEqual(['offset']);
  });
});

describe('a client that knows both numbers, or the newer alone', () => {
  it.each([[[5, 40]], [[40]]])('gets reading under the newer one: %j', (numbers) => {
    expect(readOn(numbers, { path: 'a' })).toMatchObject({
      number: 40,
      params: { case: 'readFileV2Params' },
    });
  });

  it('is not offered reading at all when it knows neither', () => {
    expect(readOn([6], { path: 'a' }).names).not.toContain('read_file');
  });
});
