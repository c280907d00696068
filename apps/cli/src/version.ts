/** Version that `weir --version` prints and that agents report. */
export const VERSION = '0.1.0';
