// Where models are found without any configuration: hosted services by the key in the environment (addresses from the
// vendors' own API references), local servers by the port each one listens on out of the box.

export interface HostedProfile {
  readonly name: string;
  readonly kind: string;
  readonly keyVariable: string;
  /** Absent where the kind has an address of its own. */
  readonly baseUrl?: string;
  /** The variable with which the vendor's own SDK is pointed elsewhere. */
  readonly baseUrlVariable?: string;
}

export const HOSTED_PROFILES: readonly HostedProfile[] = [
  {
    name: 'openai',
    kind: 'openai-chat',
    keyVariable: 'OPENAI_API_KEY',
    baseUrl: 'https://api.openai.com/v1',
    baseUrlVariable: 'OPENAI_BASE_URL',
  },
  {
    name: 'anthropic',
    kind: 'anthropic-messages',
    keyVariable: 'ANTHROPIC_API_KEY',
    baseUrl: 'https://api.anthropic.com',
    baseUrlVariable: 'ANTHROPIC_BASE_URL',
  },
  { name: 'cursor', kind: 'cursor-agent', keyVariable: 'CURSOR_API_KEY' },
  {
    name: 'openrouter',
    kind: 'openai-chat',
    keyVariable: 'OPENROUTER_API_KEY',
    baseUrl: 'https://openrouter.ai/api/v1',
  },
  {
    name: 'groq',
    kind: 'openai-chat',
    keyVariable: 'GROQ_API_KEY',
    baseUrl: 'https://api.groq.com/openai/v1',
  },
  {
    name: 'deepseek',
    kind: 'openai-chat',
    keyVariable: 'DEEPSEEK_API_KEY',
    baseUrl: 'https://api.deepseek.com/v1',
  },
  {
    name: 'mistral',
    kind: 'openai-chat',
    keyVariable: 'MISTRAL_API_KEY',
    baseUrl: 'https://api.mistral.ai/v1',
  },
  { name: 'xai', kind: 'openai-chat', keyVariable: 'XAI_API_KEY', baseUrl: 'https://api.x.ai/v1' },
  {
    name: 'gemini',
    kind: 'openai-chat',
    keyVariable: 'GEMINI_API_KEY',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
  },
  {
    name: 'together',
    kind: 'openai-chat',
    keyVariable: 'TOGETHER_API_KEY',
    baseUrl: 'https://api.together.xyz/v1',
  },
];

export interface LocalProfile {
  readonly name: string;
  readonly program: string;
  readonly port: number;
}

export const LOCAL_PROFILES: readonly LocalProfile[] = [
  { name: 'ollama', program: 'Ollama', port: 11434 },
  { name: 'lmstudio', program: 'LM Studio', port: 1234 },
  { name: 'llamacpp', program: 'llama.cpp', port: 8080 },
  { name: 'vllm', program: 'vLLM', port: 8000 },
  { name: 'litellm', program: 'LiteLLM', port: 4000 },
  { name: 'jan', program: 'Jan', port: 1337 },
];
