/** Flags of `weir top` as commander hands them over. */
export interface TopFlags {
  /** Addresses of consoles of one group. */
  console: string[];
  user: string;
  passwordFile?: string;
  once: boolean;
  json: boolean;
}
