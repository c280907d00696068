/** Bounds how often somebody calls. Each method counts one call; null: it may be made, else the time in ms until the next one may. */
export interface CallLimiter {
  /** A call of a page or a program from an address. */
  admit(address: string): number | null;
  /** A look at the API's description, which is long and open to everybody. */
  admitDescription(address: string): number | null;
  /** A call of an agent that showed its credential, whatever its address: a whole fleet may share one. */
  admitAgent(agentId: string): number | null;
  /** An enrolment with the right token, from an address: each makes a row that stays. */
  admitEnrolment(address: string): number | null;
  /** A call with a wrong token or credential, from an address. */
  admitWrongBearer(address: string): number | null;
}
