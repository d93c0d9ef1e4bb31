import type { Tool } from '../../tool.ts';
import { fixLints } from './fix-lints.ts';
import { goToDefinition } from './go-to-definition.ts';
import { readLints } from './read-lints.ts';
import { searchSymbols } from './search-symbols.ts';

export const CODE_TOOLS: readonly Tool[] = [searchSymbols, fixLints, readLints, goToDefinition];
