import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { editNotebook } from './edit-notebook.ts';
import { ToolBench } from './fixtures/tool-bench.ts';

let bench: ToolBench;
beforeEach(() => {
  bench = new ToolBench();
});
afterEach(() => bench.dispose());

const NOTEBOOK = `{
 "cells": [
  {
   "cell_type": "markdown",
   "metadata": {},
   "source": [
    "# Title\\n",
    "text"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "metadata": { "odd":   1.0 },
   "outputs": [ {"output_type": "stream", "text": "big 12345678901234567890"} ],
   "source": "x = 1\\ny = 2"
  }
 ],
 "metadata": {},
 "nbformat": 4,
 "nbformat_minor": 5
}
`;

function cellsOf(name: string): { cell_type: string; source: string | string[]; id?: string }[] {
  return JSON.parse(bench.text(name)).cells;
}

describe('edit_notebook', () => {
  it('replaces text inside a cell and touches nothing else', async () => {
    bench.put('n.ipynb', NOTEBOOK);
    await bench.succeed(editNotebook, {
      target_notebook: 'n.ipynb',
      cell_idx: 1,
      is_new_cell: false,
      cell_language: 'python',
      old_string: 'y = 2',
      new_string: 'y = "3"',
    });
    expect(bench.text('n.ipynb')).toBe(NOTEBOOK.replace('y = 2', 'y = \\"3\\"'));
  });

  it('stores lines as a list where the cell does', async () => {
    bench.put('n.ipynb', NOTEBOOK);
    await bench.succeed(editNotebook, {
      target_notebook: 'n.ipynb',
      cell_idx: 0,
      is_new_cell: false,
      cell_language: 'markdown',
      old_string: 'text',
      new_string: 'more\ntext',
    });
    expect(bench.text('n.ipynb')).toBe(NOTEBOOK.replace('    "text"\n', '    "more\\n",\n    "text"\n'));
  });

  it('inserts a cell, with an id where the format has them', async () => {
    bench.put('n.ipynb', NOTEBOOK);
    await bench.succeed(editNotebook, {
      target_notebook: 'n.ipynb',
      cell_idx: 1,
      is_new_cell: true,
      cell_language: 'sql',
      old_string: '',
      new_string: 'select 1\n',
    });
    const cells = cellsOf('n.ipynb');
    expect(cells).toHaveLength(3);
    expect(cells[1]).toEqual({
      cell_type: 'code',
      execution_count: null,
      id: 'cell-3',
      metadata: { vscode: { languageId: 'sql' } },
      outputs: [],
      source: ['select 1\n'],
    });
    expect(bench.text('n.ipynb')).toContain('"metadata": { "odd":   1.0 }');
  });

  it('starts a notebook with its first cell', async () => {
    await bench.succeed(editNotebook, {
      target_notebook: 'new.ipynb',
      cell_idx: 0,
      is_new_cell: true,
      cell_language: 'markdown',
      old_string: '',
      new_string: '# Hi',
    });
    expect(cellsOf('new.ipynb')).toEqual([{ cell_type: 'markdown', metadata: {}, source: ['# Hi'] }]);
  });

  it('takes the spelling of other agents', async () => {
    bench.put('n.ipynb', NOTEBOOK);
    await bench.succeed(editNotebook, { notebook_path: 'n.ipynb', cell_number: '1', new_source: 'z' });
    expect(cellsOf('n.ipynb')[1]?.source).toBe('z');
    await bench.succeed(editNotebook, {
      notebook_path: 'n.ipynb',
      cell_number: 0,
      cell_type: 'markdown',
      edit_mode: 'insert',
      new_source: 'top',
    });
    expect(cellsOf('n.ipynb')[0]?.source).toEqual(['top']);
  });

  it.each([
    [
      'a cell that is not there',
      { cell_idx: 7, is_new_cell: false, old_string: 'x', new_string: 'y' },
      'which has cells 0 to 1',
    ],
    [
      'text that is not in the cell',
      { cell_idx: 0, is_new_cell: false, old_string: 'x = 1', new_string: 'y' },
      'not found in cell 0 of n.ipynb',
    ],
    [
      'an old text for a new cell',
      { cell_idx: 0, is_new_cell: true, old_string: 'x', new_string: 'y' },
      'A new cell has no old_string',
    ],
  ])('refuses %s', async (_name, args, message) => {
    bench.put('n.ipynb', NOTEBOOK);
    expect((await bench.fail(editNotebook, { target_notebook: 'n.ipynb', ...args })).message).toContain(
      message,
    );
    expect(bench.text('n.ipynb')).toBe(NOTEBOOK);
  });

  it('refuses what is no notebook', async () => {
    bench.put('n.ipynb', '{"cells": 1}');
    const args = {
      target_notebook: 'n.ipynb',
      cell_idx: 0,
      is_new_cell: false,
      old_string: 'x',
      new_string: 'y',
    };
    expect((await bench.fail(editNotebook, args)).message).toContain('is not a notebook');
    expect((await bench.fail(editNotebook, { ...args, target_notebook: 'none.ipynb' })).code).toBe('ENOENT');
  });
});
