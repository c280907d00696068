/**
 * Reads colours and fonts of tokens.css for a canvas, which style sheets do not reach. Colours are read through an
 * element, because a custom property itself still says `light-dark(…)`.
 */
export function tokenReader(host: HTMLElement): (token: string) => string {
  return (token) => {
    if (token.startsWith('--font')) return getComputedStyle(host).getPropertyValue(token);
    const probe = document.createElement('span');
    probe.style.color = `var(${token})`;
    host.append(probe);
    const colour = getComputedStyle(probe).color;
    probe.remove();
    return colour;
  };
}
