import type { Tool } from '../../tool.ts';
import { codebaseSearch } from './codebase-search.ts';
import { deepSearch } from './deep-search.ts';
import { fileSearch } from './file-search.ts';
import { globFileSearch } from './glob-file-search.ts';
import { grep } from './grep.ts';
import { listDir } from './list-dir.ts';
import { listDirV1 } from './list-dir-v1.ts';
import { readSemsearchFiles } from './read-semsearch-files.ts';
import { ripgrepSearch } from './ripgrep-search.ts';

export const SEARCH_TOOLS: readonly Tool[] = [
  readSemsearchFiles,
  ripgrepSearch,
  listDirV1,
  fileSearch,
  codebaseSearch,
  deepSearch,
  listDir,
  grep,
  globFileSearch,
];

export { type Embedder, embedder } from './code-index/embeddings.ts';
