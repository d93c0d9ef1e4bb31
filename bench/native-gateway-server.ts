// Crosspoint with the scripted model of the native runs behind it.
import { startBenchGateway } from './start-bench-gateway.ts';

await startBenchGateway({ up: { kind: 'openai-chat', baseUrl: `${process.argv[2]}/v1`, models: ['m'] } });
