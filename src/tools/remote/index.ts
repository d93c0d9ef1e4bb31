export { createRemoteTools } from './create-remote-tools.ts';
export { describeRemoteCall } from './describe-remote-call.ts';
export {
  decodeExecArgs,
  decodeExecResult,
  type ExecCall,
  type ExecName,
  encodeExecArgs,
  encodeExecResult,
} from './exec/exec-codec.ts';
export { encodeShellStream, ShellStreamFold } from './exec/shell-stream.ts';
export { forbidCalls } from './forbid-calls.ts';
export type {
  ImageArguments,
  JudgedCall,
  RemoteToolsOptions,
  ServerTool,
  WebFetchArguments,
  WebSearchArguments,
} from './remote-options.ts';
