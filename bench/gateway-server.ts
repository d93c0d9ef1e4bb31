// Crosspoint in front of the bench upstream.
import { startBenchGateway } from './start-bench-gateway.ts';

await startBenchGateway({ up: { kind: 'openai-chat', baseUrl: `${process.argv[2]}/v1` } });
