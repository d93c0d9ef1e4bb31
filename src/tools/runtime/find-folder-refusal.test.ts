import { describe, expect, it } from 'vitest';
import type { Touch } from '../tool.ts';
import { findFolderRefusal } from './find-folder-refusal.ts';

const write = (path: string): Touch => ({ type: 'path', path, access: 'write' });
const refusal = (touches: readonly Touch[], folders = ['/work/docs']) =>
  findFolderRefusal('write_file', touches, folders);

describe('findFolderRefusal', () => {
  it('lets a task write inside its folders and read anywhere', () => {
    expect(refusal([write('/work/docs'), write('/work/docs/a/b.md')])).toBeUndefined();
    expect(refusal([{ type: 'path', path: '/etc/hosts', access: 'read' }])).toBeUndefined();
    expect(refusal([write('/anywhere')], [])).toBeUndefined();
  });

  it.each(['/work/docs-other/a', '/work', '/work/docs/../src/a.ts'])('refuses a write to %s', (path) => {
    expect(refusal([write(path)])).toContain(`write_file would write ${path}`);
  });

  it('refuses deletions and every command, which could write anywhere', () => {
    expect(refusal([{ type: 'path', path: '/work/src/a', access: 'delete' }])).toContain('would delete');
    expect(refusal([{ type: 'command', command: 'ls', cwd: '/work/docs' }])).toContain('run a command');
  });
});
