import { describe, expect, it } from 'vitest';
import { type CellEdit, editNotebookText } from './edit-notebook-text.ts';

const NEW_CELL: CellEdit = {
  cellIndex: 0,
  isNewCell: true,
  language: undefined,
  oldString: undefined,
  newString: 'x = 1\n',
};

describe('a notebook as text', () => {
  it('starts with its first cell where there is none', () => {
    const text = editNotebookText(undefined, NEW_CELL, 'a.ipynb');
    expect(JSON.parse(text)).toMatchObject({ nbformat: 4, cells: [{ source: ['x = 1\n'] }] });
  });

  it('that does not exist has no cell to edit', () => {
    expect(() => editNotebookText(undefined, { ...NEW_CELL, isNewCell: false }, 'a.ipynb')).toThrow(
      'a.ipynb does not exist',
    );
  });

  it('keeps everything but the cell that was meant', () => {
    const cell = (source: string) =>
      `{"cell_type":"code","metadata":{},   "outputs":[],"source":"${source}"}`;
    const text = (second: string) =>
      `{"cells":[${cell('a = 1')},\n${cell(second)}],"metadata":{"k":1e0}}\r\n`;
    const edit = { ...NEW_CELL, isNewCell: false, cellIndex: 1, oldString: '2', newString: '3' };
    expect(editNotebookText(text('b = 2'), edit, 'a.ipynb')).toBe(text('b = 3'));
  });
});
