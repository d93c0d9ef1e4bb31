import { describe, expect, it } from 'vitest';
import type { Touch } from '../tool.ts';
import { findFolderRefusal } from './find-folder-refusal.ts';

const write = (path: string): Touch => ({ type: 'path', path, access: 'write' });
const refusal = (touches: readonly Touch[], folders = ['/srv/docs']) =>
  findFolderRefusal('write_file', touches, folders);

describe('findFolderRefusal', () => {
  it('lets a task write inside its folders and read anywhere', () => {
    expect(refusal([write('/srv/docs'), write('/srv/docs/a/b.md')])).toBeUndefined();
    expect(refusal([{ type: 'path', path: '/etc/hosts', access: 'read' }])).toBeUndefined();
    expect(refusal([write('/anywhere')], [])).toBeUndefined();
  });

  it.each(['/srv/docs-other/a', '/srv', '/srv/docs/../src/a.ts'])('refuses a write to %s', (path) => {
    expect(refusal([write(path)])).toContain(`write_file would write ${path}`);
  });

  it('refuses deletions and every command, which could write anywhere', () => {
    expect(refusal([{ type: 'path', path: '/srv/src/a', access: 'delete' }])).toContain('would delete');
    expect(refusal([{ type: 'command', command: 'ls', cwd: '/srv/docs' }])).toContain('run a command');
  });
});
