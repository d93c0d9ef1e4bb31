/** A call or one of its execs is forbidden, whatever the client's user would say; the message is for the model. */
export class ForbiddenCall extends Error {
  override readonly name = 'ForbiddenCall';
}
