/*
 * Which of several servers holds a key: rendezvous hashing (Thaler & Ravishankar, 1998). Every server gets a score for the key
 * and the highest wins, so adding or removing one of n servers moves only the keys that it gets or had, about 1 in n, and no
 * ring has to be built. Scores come from one pass over the key (FNV-1a, 32 bits), mixed with each server's hash by MurmurHash3's
 * finaliser. A server that is down keeps its keys: counting them elsewhere would admit a limit twice.
 */

/** FNV-1a over UTF-16 code units. */
function hashText(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let index = 0; index < text.length; index++) {
    hash ^= text.charCodeAt(index);
    hash = Math.imul(hash, 0x01_00_01_93);
  }
  return hash >>> 0;
}

function mix(hash: number): number {
  let mixed = hash;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85_eb_ca_6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2_b2_ae_35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/**
 * Makes the function that names the server of a key, as an index into `names`. Depends on the names only, not on their order.
 * @param names at least one; all different.
 */
export function spreadOver(names: readonly string[]): (key: string) => number {
  if (names.length === 1) return () => 0;
  const seeds = names.map((name) => mix(hashText(name)));
  return (key) => {
    const hash = hashText(key);
    let best = 0;
    let bestScore = -1;
    for (let index = 0; index < seeds.length; index++) {
      const score = mix(hash ^ (seeds[index] ?? 0));
      // On a tie the smaller name wins, so that the order of the list does not matter.
      if (score < bestScore || (score === bestScore && (names[index] ?? '') > (names[best] ?? ''))) continue;
      best = index;
      bestScore = score;
    }
    return best;
  };
}
