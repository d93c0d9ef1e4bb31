/** For messages to people. A task that leaves the model to the gateway has an empty name. */
export function nameModel(model: string): string {
  return model === '' ? 'the default model' : `the model "${model}"`;
}
