import { FAILURE_SCENARIOS } from './failure-scenarios.ts';
import type { Scenario } from './scenario.ts';
import { TEXT_SCENARIOS } from './text-scenarios.ts';
import { TOOL_SCENARIOS } from './tool-scenarios.ts';

export const SCENARIOS: readonly Scenario[] = [...TEXT_SCENARIOS, ...TOOL_SCENARIOS, ...FAILURE_SCENARIOS];
