/** This console does not lead any more: another one does, or will, and nothing may be written. */
export class LeadershipLost extends Error {
  override readonly name = 'LeadershipLost';

  constructor() {
    super('This console does not lead its group any more.');
  }
}
