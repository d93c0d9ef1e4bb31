export type {
  AiserverHost,
  AiserverRun,
  ClientUpstream,
  ListedModel,
  OfferedTool,
  ReadArguments,
  ToolMessages,
} from './aiserver-host.ts';
export { type CursorAiserverOptions, createCursorAiserverFront } from './front.ts';
