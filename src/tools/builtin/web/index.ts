import type { Tool } from '../../tool.ts';
import { computerUse } from './computer-use.ts';
import { createDiagram } from './create-diagram.ts';
import { fetchPullRequest } from './fetch-pull-request.ts';
import { generateImage } from './generate-image.ts';
import { recordScreen } from './record-screen.ts';
import { webFetch } from './web-fetch.ts';
import { webSearch } from './web-search.ts';

export const WEB_TOOLS: readonly Tool[] = [
  webSearch,
  fetchPullRequest,
  createDiagram,
  generateImage,
  computerUse,
  recordScreen,
  webFetch,
];

export { createBraveSearch } from './brave-search.ts';
export { type Forge, forges } from './forge.ts';
export { createMcpScreen } from './mcp-screen.ts';
export {
  type ImagePort,
  imagePort,
  type Picture,
  type ScreenAction,
  type ScreenPort,
  type ScreenRecorder,
  type ScreenReport,
  screenPort,
} from './media-ports.ts';
export { createOpenAiImages } from './openai-images.ts';
export { type SearchHit, type SearchProvider, searchProvider } from './search-provider.ts';
export { createSearxngSearch } from './searxng-search.ts';
export { createTavilySearch } from './tavily-search.ts';
export { createWebAccess, type WebAccess, type WebAccessOptions, webAccess } from './web-access.ts';
