import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { renderToolDocs, TOOL_DOCS_FILE } from '../scripts/generate-tool-docs.ts';
import { CLIENT_TOOLS } from '../src/catalogue/index.ts';

const PAGE = readFileSync(TOOL_DOCS_FILE, 'utf8');

describe('docs/tools.md', () => {
  it('is what the generator makes of the registry; run npx tsx scripts/generate-tool-docs.ts when it is not', () => {
    expect(PAGE).toBe(renderToolDocs());
  });

  it('has a section for every row of the catalogue', () => {
    for (const { number } of CLIENT_TOOLS)
      expect(PAGE).toMatch(new RegExp(`^## [a-z0-9_]+ \\(${number}\\)$`, 'm'));
  });

  it('leads every link of its own to a heading', () => {
    const anchors = new Set(
      [...PAGE.matchAll(/^## (\w+) \((\d+)\)$/gm)].map(([, name, number]) => `${name}-${number}`),
    );
    const links = [...PAGE.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor);
    expect(links.length).toBeGreaterThan(40);
    expect(links.filter((anchor) => anchor === undefined || !anchors.has(anchor))).toEqual([]);
  });
});
