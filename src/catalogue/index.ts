export type { ClientTool, NumberedField } from './client-tool.ts';
export { CLIENT_TOOLS, findClientTool, MCP_TOOL_NUMBER } from './client-tools.ts';
export { foldToolName } from './fold-tool-name.ts';
export { impliedArguments } from './foreign-tools.ts';
export { encodeNativeCall, type NativeParamsOptions } from './native-params.ts';
export { type NativeTool, resolveNativeTool } from './native-tool-names.ts';
export { resolveToolName } from './resolve-tool-name.ts';
export type { NativeCall } from './strict-native-params.ts';
